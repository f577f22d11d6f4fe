"""A problem: a smooth term, a nonsmooth term and the shape of X; the work that is done on it, and
how it is counted.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace, norm
from orthoprox._arrays.words import shown
from orthoprox.nonsmooth.base import HasProxDerivative, Nonsmooth
from orthoprox.smooth.base import Smooth


@runtime_checkable
class HasShape(Protocol):
    """A term whose data fit only some shapes of X."""

    def check_shape(self, shape: tuple[int, int]) -> None:
        """Raise ``ValueError`` where X cannot have this shape."""


@dataclass(frozen=True)
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

    def value(self, X: Array) -> Array:
        """Return l(X) + g(X)."""
        return self.smooth.value(X) + self.nonsmooth.value(X)

    @property
    def flops(self) -> float:
        """The floating point operations of one first-order iteration with dense data: a gradient
        and three products with n x n matrices.
        """
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

    def heed(self) -> None:
        """End the call here if its time is over or Ctrl-C was pressed; a long loop that evaluates
        no term asks for it. A problem by itself has no reason to end.
        """

    def probe(self, X: Array) -> Array:
        """Evaluate both terms at X, and raise where what they return is of no use: a mistake in a
        term of one's own.

        Return X in the precision of its gradient, in which a run will go on.
        """
        return self.sized(X)[0]

    def sized(self, X: Array) -> tuple[Array, tuple[float, float]]:
        """Do the same; return also the largest entry of |grad l(X)|, and |g(X)|."""
        ell, g = self.smooth.__class__.__name__, self.nonsmooth.__class__.__name__
        D = self.smooth.grad(X)
        inputs.returned_array(D, f"The gradient of the smooth term {ell}", X)
        inputs.returned_number(self.smooth.value(X), f"The value of the smooth term {ell}")
        value = self.nonsmooth.value(X)
        inputs.returned_number(value, f"The value of the nonsmooth term {g}", infinite=True)
        step = 1 / (1 + 2 * self.nonsmooth.modulus)
        inputs.returned_array(self.nonsmooth.prox(X, step), f"The prox of the nonsmooth term {g}", X)
        xp = namespace(X)
        return xp.astype(X, xp.result_type(X, D)), (float(xp.max(xp.abs(D))), abs(float(value)))


@dataclass
class Work:
    """How often a call has evaluated the terms, and how many runs it has made.

    Steps on a working set and products with a Hessian matrix evaluate no term and are not counted.
    """

    gradients: int = 0  # grad l, with or without the value
    values: int = 0  # l, with or without the gradient; those of g are not counted
    proxes: int = 0  # prox of g
    runs: int = 0  # of a method, from a start to a stopping rule

    def add(self, other: "Work") -> None:
        """Add the work that was done elsewhere."""
        self.gradients += other.gradients
        self.values += other.values
        self.proxes += other.proxes
        self.runs += other.runs

    def __add__(self, other: "Work") -> "Work":
        total = replace(self)
        total.add(other)
        return total


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


class Caller(Protocol):
    """What may end a call before an evaluation of a term: see ``stopping/deadline.py``."""

    def heed(self) -> None:
        """Raise if the call has to end."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; Ctrl-C ends it."""


class TermError(ArithmeticError):
    """A term of the user's has raised an exception, or returned what is not an array like X or a
    number, in the middle of a call.
    """


@dataclass(frozen=True)
class _Counted(Problem):
    """A problem whose evaluations are counted, and end where the call has to."""

    caller: Caller | None = None
    odd: tuple[str, ...] | list[str] = ()  # the user's functions that were not finite at an X of ordinary size

    def heed(self) -> None:
        if self.caller is not None:
            self.caller.heed()


def counted(problem: Problem, work: Work, caller: Caller | None = None) -> Problem:
    """Return the same problem; each evaluation of its terms adds to ``work``, and ``caller`` may
    end the call before it.

    A problem that is counted already is from now on counted in ``work`` alone. A term of the
    user's own cannot change what it is called with nor what it has returned.
    """
    ell: Smooth = getattr(problem.smooth, "counted_term", problem.smooth)
    g: Nonsmooth = getattr(problem.nonsmooth, "counted_term", problem.nonsmooth)

    def evaluation(term: Any, name: str, *counts: str) -> Callable[..., Any]:
        method = _checked(term, name, odd) if _foreign(term) else getattr(term, name)

        def evaluate(*arguments: Any) -> Any:
            if caller is None:
                _count(work, counts)
                return method(*arguments)
            caller.heed()
            _count(work, counts)
            return caller.call(method, *arguments)

        return evaluate

    odd: list[str] = []
    same = object.__new__(_Counted)  # whose shapes are checked already
    smooth = _CountedTerm(
        ell,
        {},
        value=evaluation(ell, "value", "values"),
        grad=evaluation(ell, "grad", "gradients"),
        value_and_grad=evaluation(ell, "value_and_grad", "values", "gradients"),
    )
    more = {"prox_derivative": _heeding(g, caller)} if caller is not None and isinstance(g, HasProxDerivative) else {}
    nonsmooth = _CountedTerm(g, more, value=evaluation(g, "value"), prox=evaluation(g, "prox", "proxes"))
    parts = {"smooth": smooth, "nonsmooth": nonsmooth, "shape": problem.shape, "caller": caller, "odd": odd}
    for name, part in parts.items():
        object.__setattr__(same, name, part)
    return same


def _heeding(g: HasProxDerivative, caller: Caller) -> Callable[[Array, float], Callable[[Array], Array]]:
    """Return the derivative of the prox, each product with which may be the last of the call."""

    def prox_derivative(X: Array, t: float) -> Callable[[Array], Array]:
        J = g.prox_derivative(X, t)

        def product(V: Array) -> Array:
            caller.heed()
            return J(V)

        return product

    return prox_derivative


def _count(work: Work, counts: tuple[str, ...]) -> None:
    for name in counts:
        setattr(work, name, getattr(work, name) + 1)


def _foreign(term: Any) -> bool:
    """Whether the term, or a function that it calls, is the user's own."""
    room = term.__class__.__module__
    return not room.startswith("orthoprox.") or room.endswith(".function")


_ORDINARY = 1e3  # times sqrt(n), the length of an X that may be near the manifold
_RETURNED = {"value": "v", "grad": "A", "prox": "A", "value_and_grad": "vA"}  # v: a number, A: an array like X


def _checked(term: Any, name: str, odd: list[str]) -> Callable[..., Any]:
    """Return a method of a user's term that gets a copy of X, and returns one of what it finds;
    where it fails, it raises a :class:`TermError`; where it is not finite, it adds to ``odd``.
    """
    method: Callable[..., Any] = getattr(term, name)
    role, kinds = f"The {_WORDS[name]} of the {_role(term)} term {term.__class__.__name__}", _RETURNED[name]

    def careful(X: Array, *more: Any) -> Any:
        xp = namespace(X)
        try:
            found = method(xp.asarray(X, copy=True), *more)
        except Exception as error:
            raise TermError(f"{role} raised {type(error).__name__}: {error}") from error
        try:
            parts = (found,) if len(kinds) == 1 else inputs.pair_returned(found, role)
            for kind, part in zip(kinds, parts, strict=True):
                if kind == "A":
                    inputs.returned_array(part, role, X, finite=False)
                else:
                    inputs.returned_number(part, role, finite=False)
        except (TypeError, ValueError) as error:
            raise TermError(str(error)) from error
        if not all(bool(xp.all(xp.isfinite(part))) for kind, part in zip(kinds, parts, strict=True) if kind == "A"):
            odd.extend([role] if float(norm(X)) <= _ORDINARY * X.shape[-1] ** 0.5 else [])
        kept = tuple(xp.asarray(part, copy=True) if kind == "A" else part for kind, part in zip(kinds, parts, strict=True))
        return kept if len(kinds) > 1 else kept[0]

    return careful


def _role(term: Any) -> str:
    return "smooth" if isinstance(term, Smooth) else "nonsmooth"


_WORDS = {"value": "value", "grad": "gradient", "prox": "prox", "value_and_grad": "value or gradient"}


def as_problem(value: Any) -> Problem:
    """Return ``value`` if it is a problem."""
    if not isinstance(value, Problem):
        raise TypeError(
            f"problem is {shown(value)}; it needs an orthoprox.Problem, such as orthoprox.problems.sparse_pca(A, n, mu)."
        )
    return value
