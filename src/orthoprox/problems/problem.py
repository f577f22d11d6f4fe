"""A problem: a smooth term, a nonsmooth term and the shape of X."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox._arrays.words import shown
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.smooth.base import Smooth


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

    @property
    def odd(self) -> Sequence[str]:
        """Functions of the user's that were not finite at an X of ordinary size, as far as a call
        has noticed.
        """
        return ()

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


def as_problem(value: Any) -> Problem:
    """Return ``value`` if it is a problem."""
    if not isinstance(value, Problem):
        raise TypeError(
            f"problem is {shown(value)}; it needs an orthoprox.Problem, such as orthoprox.problems.sparse_pca(A, n, mu)."
        )
    return value
