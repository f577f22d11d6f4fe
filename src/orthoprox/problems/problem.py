"""A problem: a smooth term, a nonsmooth term and the shape of X; and the same within a call, where
its evaluations are counted and each may be the last.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, even_power_of_two, extreme, namespace, norm
from orthoprox._arrays.words import shown
from orthoprox.nonsmooth.base import HasFace, HasProxDerivative, Nonsmooth
from orthoprox.problems.own_terms import Caller, TermError, checked, guarded, with_heeding_operator
from orthoprox.problems.work import Work
from orthoprox.smooth.base import HasPasses, Smooth

_SHORT = 2.0**-900  # a step into the domain of g
_TINY, _TRIALS = 1e-9, 100  # times nu: a smoothing that only leads into the domain of g; trials of a smoothing
_ABILITIES = "prox_derivative", "min_norm_subgradient", "directional_derivative", "interval", "face"


@runtime_checkable
class HasShape(Protocol):
    """A term whose data fit only some shapes of X."""

    def check_shape(self, shape: tuple[int, int]) -> None:
        """Raise ``ValueError`` where X cannot have this shape."""


@dataclass(frozen=True, repr=False)
class Problem:
    """The problem  min l(X) + g(X)  subject to  X'X = I_n,  X of shape (m, n).

    Parameters
    ----------
    smooth : Smooth
        The differentiable term l, one of ``orthoprox.smooth`` or your own.
    nonsmooth : Nonsmooth
        The prox-friendly term g, one of ``orthoprox.nonsmooth`` or your own.
    shape : tuple of two ints
        The shape (m, n) of X, with m >= n >= 1.
    """

    smooth: Smooth
    nonsmooth: Nonsmooth
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        for role, term, kind in (("smooth", self.smooth, Smooth), ("nonsmooth", self.nonsmooth, Nonsmooth)):
            if not isinstance(term, kind):
                raise TypeError(
                    f"The {role} term is {shown(term)}; it needs an instance of {kind.__name__}, "
                    f"such as one of orthoprox.{role}."
                )
        object.__setattr__(self, "shape", inputs.pair(self.shape))
        for term in (self.smooth, self.nonsmooth):
            if isinstance(term, HasShape):
                term.check_shape(self.shape)

    def __repr__(self) -> str:
        return f"Problem({self.smooth!r} + {self.nonsmooth!r}, X of shape {self.shape})"

    def value(self, X: Array) -> Array:
        """Return l(X) + g(X)."""
        return self.smooth.value(X) + self.nonsmooth.value(X)

    @property
    def flops(self) -> float:
        """The operations of a first-order iteration with dense data: a gradient, three products."""
        m, n = self.shape
        return 2.0 * m * n * (m + 3 * n)

    def grad(self, X: Array) -> Array:
        """Return grad l(X)."""
        return self.smooth.grad(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """Return l(X) and grad l(X), at the price of one."""
        return self.smooth.value_and_grad(X)

    def prox(self, X: Array, t: Array) -> Array:
        """Return argmin_P  g(P) + |P - X|_F^2 / (2 t)."""
        return self.nonsmooth.prox(X, t)

    @property
    def odd(self) -> Sequence[str]:
        """Functions of the user's that a call has found not finite at an X of ordinary size."""
        return ()

    @property
    def loop(self) -> Any:
        """What compiled loops need, if the call uses them."""
        return None

    def heed(self) -> None:
        """End the call here if it has to; a long loop that evaluates no term asks for it."""

    def count(self, *, gradients: int, proxes: int, values: int = 0) -> None:
        """Count evaluations that a compiled loop has made without the terms."""

    def measured(self, X: Array) -> tuple[Array, float]:
        """Evaluate both terms at X, and raise where what they return is of no use: a mistake in a
        term of one's own.

        Return X in the precision of its gradient, in which a run will go on, and the unit of f, a
        power of two by which a call divides it: 1, unless grad l(X) or g(X) is of extreme size. If
        grad l(X) = 0, it is the size of g alone.
        """
        ell, g = self.smooth.__class__.__name__, self.nonsmooth.__class__.__name__
        try:
            D = self.smooth.grad(X)
            inputs.returned_array(D, f"The gradient of the smooth term {ell}", X)
            inputs.returned_number(self.smooth.value(X), f"The value of the smooth term {ell}")
            value = self.nonsmooth.value(X)
            inputs.returned_number(value, f"The value of the nonsmooth term {g}", infinite=True)
            step = 1 / (1 + 2 * self.nonsmooth.modulus)
            inputs.returned_array(self.nonsmooth.prox(X, step), f"The prox of the nonsmooth term {g}", X)
            xp = namespace(X)
            X, slope, height = xp.astype(X, xp.result_type(X, D)), float(xp.max(xp.abs(D))), abs(float(value))
            if slope > 0:
                return X, extreme(max(slope, height if height < math.inf else 0.0), X)
            if not height < math.inf:
                height = abs(float(self.nonsmooth.value(self.nonsmooth.prox(X, _SHORT))))
            return X, even_power_of_two(height)
        except TermError as error:  # no run is under way that could go on without it
            raise error.__cause__ or error from None

    def round_to_kinks(self, X: Array, reach: float) -> Array:
        """Return X with what is no farther than ``reach`` from a kink of g put on it."""
        return self.nonsmooth.round_to_kinks(X, reach) if isinstance(self.nonsmooth, HasFace) else X

    def is_small(self, entries: int) -> bool:
        """Whether X is so small that second order costs little, and g has what such steps need."""
        g = self.nonsmooth
        return math.prod(self.shape) <= entries and isinstance(g, HasProxDerivative) and isinstance(g, HasFace)

    def takes_stacks(self, X: Array) -> bool:
        """Whether the terms evaluate a stack of matrices like X as they evaluate each alone, as
        those of the library do with dense data of NumPy.
        """
        if any(map(foreign, uncounted(self))) or not isinstance(X, np.ndarray):
            return False
        stack = np.stack([X, 2 * X])
        try:
            D, P = self.grad(stack), self.prox(stack, np.ones((2, 1, 1)))
        except (TypeError, ValueError):
            return False
        return D.shape == P.shape == stack.shape and np.allclose(D[1], self.grad(stack[1]))

    def smoothing(self, X: Array, D: Array, width: float) -> float:
        """Return nu with which the prox moves X by at most ``width sqrt(n)``, not counting the way
        to the domain of g.

        Where it does nothing else, as for an indicator, nu is one over the slope |D| / sqrt(n),
        with a gradient D of l.
        """
        root, gradient_norm, modulus = X.shape[-1] ** 0.5, float(norm(D)), self.nonsmooth.modulus
        unit = root / gradient_norm if gradient_norm > 0 else 1.0
        nu = unit if modulus == 0 else min(unit, 0.3 / modulus)
        inside = self.prox(X, _TINY * nu)
        if float(norm(self.prox(X, nu) - inside)) == 0:
            return nu
        nu = nu if modulus > 0 else 1e3 * nu
        for _ in range(_TRIALS):
            if float(norm(self.prox(X, nu) - inside)) <= width * root:
                break
            nu *= 0.7
        return nu


def as_problem(value: Any) -> Problem:
    """Return ``value`` if it is a problem."""
    if not isinstance(value, Problem):
        raise TypeError(
            f"problem is {shown(value)}; it needs an orthoprox.Problem, such as orthoprox.problems.sparse_pca(A, n, mu)."
        )
    return value


class _CountedTerm:
    """A term whose evaluations are counted; it is the term itself in everything else.

    What a term does within its own methods is its own business and is not counted: the products of
    its resolvent, its Lipschitz constant, its restriction to a few entries.
    """

    __slots__ = ("__dict__", "counted_term", "grad", "more", "prox", "value", "value_and_grad")

    def __init__(self, term: Any, more: dict[str, Any], **methods: Any) -> None:
        self.counted_term, self.more = term, more  # `more`: what stands for a member that not every term has
        self.__dict__ = getattr(term, "__dict__", {})  # shared: isinstance looks for abilities there, too
        for name, method in methods.items():
            setattr(self, name, method)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.counted_term.__class__  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return self.more[name] if name in self.more else getattr(self.counted_term, name)

    def __repr__(self) -> str:
        return repr(self.counted_term)


@dataclass(frozen=True, repr=False)
class _Counted(Problem):
    """A problem whose evaluations are counted, and end where the call has to."""

    caller: Caller | None = None
    odd: Sequence[str] = ()
    work: Work | None = None
    loop: Any = None

    def __post_init__(self) -> None:
        pass  # the problem itself is checked already

    def heed(self) -> None:
        if self.caller is not None:
            self.caller.heed()

    def count(self, *, gradients: int, proxes: int, values: int = 0) -> None:
        if self.work is not None:
            self.work.gradients += gradients
            self.work.values += values
            self.work.proxes += proxes


def counted(problem: Problem, work: Work, caller: Caller | None = None, *, loop: Any = None) -> Problem:
    """Return the same problem; each evaluation of its terms adds to ``work``, and ``caller`` may
    end the call before it; ``loop`` is for compiled loops.

    A problem that is counted already is from now on counted in ``work`` alone. A term of the
    user's own cannot change what it is called with nor what it has returned.
    """
    ell, g = uncounted(problem)
    if caller is not None and inputs.is_operator(getattr(ell, "A", None)):
        ell = with_heeding_operator(ell, caller)
    elif caller is not None and isinstance(ell, HasPasses):
        ell = ell.heeding(caller.heed)

    def evaluation(term: Any, name: str, *counts: str) -> Callable[..., Any]:
        own = not foreign(term)
        method = getattr(term, name) if own else checked(term, name, inputs.parts_returned, odd)

        def evaluate(X: Array, *more: Any) -> Any:
            if caller is not None:
                caller.heed()
            number = math.prod(X.shape[:-2])  # of matrices in a stack
            for name in counts:
                setattr(work, name, getattr(work, name) + number)
            return method(X, *more) if caller is None or own else caller.call(method, X, *more)

        return evaluate

    odd: list[str] = []
    known = not foreign(ell) and hasattr(ell, "second_derivative")
    quadratic = {"second_derivative": evaluation(ell, "second_derivative", "gradients")} if known else {}
    smooth = _CountedTerm(
        ell,
        quadratic,
        value=evaluation(ell, "value", "values"),
        grad=evaluation(ell, "grad", "gradients"),
        value_and_grad=evaluation(ell, "value_and_grad", "values", "gradients"),
    )
    more = {name: guarded(g, name) for name in _ABILITIES if foreign(g) and hasattr(g, name)}
    if isinstance(g, HasProxDerivative):
        more["prox_derivative"] = _heeding(more.get("prox_derivative", g.prox_derivative), caller)
    nonsmooth = _CountedTerm(g, more, value=evaluation(g, "value"), prox=evaluation(g, "prox", "proxes"))
    return _Counted(smooth, nonsmooth, problem.shape, caller, odd, work, loop)  # type: ignore[arg-type]


def _heeding(derivative: Callable[..., Any], caller: Caller | None) -> Callable[[Array, float], Callable[[Array], Array]]:
    """Return the derivative of the prox, each product with which may be the last of the call."""

    def prox_derivative(X: Array, t: float) -> Callable[[Array], Array]:
        J: Callable[[Array], Array] = derivative(X, t)

        def product(V: Array) -> Array:
            if caller is not None:
                caller.heed()
            return J(V)

        return product

    return prox_derivative


def foreign(term: Any) -> bool:
    """Whether the term, or a function or an operator that it calls, is the user's own."""
    room = term.__class__.__module__
    return not room.startswith("orthoprox.") or room.endswith(".function") or inputs.is_operator(getattr(term, "A", None))


def uncounted(problem: Problem) -> list[Any]:
    """Return the two terms themselves."""
    return [getattr(term, "counted_term", term) for term in (problem.smooth, problem.nonsmooth)]
