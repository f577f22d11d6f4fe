"""A problem: a smooth term, a nonsmooth term and the shape of X; the work that is done on it, and
how it is counted.
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox.nonsmooth.base import Nonsmooth
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
                    f"The {role} term is {term!r}, a {type(term).__name__}; it needs an instance of {kind.__name__}, "
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


class _Counted:
    """A term whose evaluations are counted; it is the term itself in everything else.

    What a term does within its own methods is its own business and is not counted: the products of
    its resolvent, its Lipschitz constant, its restriction to a few entries.
    """

    __slots__ = ("__dict__", "counted_term", "grad", "prox", "value", "value_and_grad")

    def __init__(self, term: Any, **methods: Any) -> None:
        self.counted_term = term
        self.__dict__ = getattr(term, "__dict__", {})  # shared: isinstance looks for abilities there, too
        for name, method in methods.items():
            setattr(self, name, method)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.counted_term.__class__  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.counted_term, name)

    def __repr__(self) -> str:
        return repr(self.counted_term)


def counted(problem: Problem, work: Work) -> Problem:
    """Return the same problem; each evaluation of its terms adds to ``work``.

    A problem that is counted already is from now on counted in ``work`` alone.
    """
    ell: Smooth = getattr(problem.smooth, "counted_term", problem.smooth)
    g: Nonsmooth = getattr(problem.nonsmooth, "counted_term", problem.nonsmooth)

    def value(X: Array) -> Array:
        work.values += 1
        return ell.value(X)

    def grad(X: Array) -> Array:
        work.gradients += 1
        return ell.grad(X)

    def value_and_grad(X: Array) -> tuple[Array, Array]:
        work.values += 1
        work.gradients += 1
        return ell.value_and_grad(X)

    def prox(X: Array, t: Array) -> Array:
        work.proxes += 1
        return g.prox(X, t)

    same = copy(problem)  # whose shapes are checked already
    object.__setattr__(same, "smooth", _Counted(ell, value=value, grad=grad, value_and_grad=value_and_grad))
    object.__setattr__(same, "nonsmooth", _Counted(g, value=lambda X: g.value(X), prox=prox))
    return same


def as_problem(value: Any) -> Problem:
    """Return ``value`` if it is a problem."""
    if not isinstance(value, Problem):
        raise TypeError(
            f"problem is {value!r}, a {type(value).__name__}; it needs an orthoprox.Problem, "
            "such as orthoprox.problems.sparse_pca(A, n, mu)."
        )
    return value
