"""The abstract smooth term l, and the abilities that a method may ask of it beyond its gradient."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from orthoprox._arrays.library import Array
from orthoprox._arrays.words import described


class Smooth(ABC):
    """A differentiable term l. Its methods accept leading batch axes of X, unless its data are
    sparse or an operator.
    """

    @abstractmethod
    def value(self, X: Array) -> Array:
        """Return l(X)."""

    @abstractmethod
    def grad(self, X: Array) -> Array:
        """Return the Euclidean gradient of l at X."""

    @abstractmethod
    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """Return both at the price of one."""

    def __repr__(self) -> str:
        return described(self)


@runtime_checkable
class HasLipschitz(Protocol):
    """A smooth term that knows a Lipschitz constant of its gradient."""

    @property
    def lipschitz(self) -> float:
        """An upper bound of |grad l(X) - grad l(Y)|_F / |X - Y|_F."""


@runtime_checkable
class HasWeakConvexity(Protocol):
    """A smooth term that knows how far from convex it is."""

    @property
    def modulus(self) -> float:
        """A number with l + modulus/2 |.|_F^2 convex; 0 for a convex l."""


@runtime_checkable
class HasHessian(Protocol):
    """A quadratic smooth term."""

    @property
    def hessian(self) -> Array | None:
        """H with grad l(X) = HX + grad l(0), one m x m matrix for all columns; None where it is not
        at hand.
        """


@runtime_checkable
class HasResolvent(Protocol):
    """A smooth term, quadratic as a rule, whose sum with a quadratic has a closed-form
    minimiser.
    """

    def resolvent(self, c: float) -> Callable[[Array], Array]:
        """Return R -> X with grad l(X) + c X = R; whatever can be done once for this c is done
        here.
        """

    def resolvents(self) -> Callable[[float], Callable[[Array], Array]]:
        """Return c -> R -> X as above; whatever can be done once for all c is done here."""


@runtime_checkable
class HasMultiples(Protocol):
    """A smooth term that is made of data, which can be multiplied."""

    def times(self, factor: float) -> Smooth:
        """Return factor l, with all its data of that size; the factor is an even power of two."""


@runtime_checkable
class HasData(Protocol):
    """A smooth term whose data are arrays, which tell the library and the precision to work in."""

    @property
    def data(self) -> Array | None:
        """One of the arrays, or None where there is none."""


@runtime_checkable
class HasPasses(Protocol):
    """A smooth term whose evaluations may take long, since they pass over data on disk."""

    def heeding(self, heed: Callable[[], object]) -> Smooth:
        """Return the same term; it calls ``heed`` now and then, which may end an evaluation."""
