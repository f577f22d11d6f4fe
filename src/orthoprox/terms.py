"""The two kinds of term in ``l(X) + g(X)``, and the extra abilities that a method may ask of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from orthoprox._arrays import Array, is_array


class Smooth(ABC):
    """A differentiable term l. Its methods accept leading batch axes of X, unless its data are sparse or an operator."""

    @abstractmethod
    def value(self, X: Array) -> Array:
        """Return l(X)."""

    @abstractmethod
    def grad(self, X: Array) -> Array:
        """Return the Euclidean gradient of l at X."""

    @abstractmethod
    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """Return both at the price of one."""


class Nonsmooth(ABC):
    """A prox-friendly term g, convex up to a quadratic: ``g + modulus/2 |.|_F^2`` is convex.

    Its methods accept leading batch axes. A weakly convex term sets its ``modulus``; its prox needs t < 1 / modulus.
    """

    modulus: float = 0.0

    @abstractmethod
    def value(self, X: Array) -> Array:
        """Return g(X)."""

    @abstractmethod
    def prox(self, X: Array, t: Array) -> Array:
        """Return argmin_P  g(P) + |P - X|_F^2 / (2 t)."""


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
        """H with grad l(X) = HX + grad l(0), one m x m matrix for all columns; None where it is not at hand."""


def matrix_of(ell: Smooth) -> Array | None:
    """Return the Hessian that a term shows as a matrix, or None; a method of that name is something else."""
    H = ell.hessian if isinstance(ell, HasHessian) else None
    return H if H is not None and is_array(H) and H.ndim == 2 else None


@runtime_checkable
class HasResolvent(Protocol):
    """A smooth term, quadratic as a rule, whose sum with a quadratic has a closed-form minimiser."""

    def resolvent(self, c: float) -> Callable[[Array], Array]:
        """Return R -> X with grad l(X) + c X = R; whatever can be done once for this c is done here."""

    def resolvents(self) -> Callable[[float], Callable[[Array], Array]]:
        """Return c -> R -> X as above; whatever can be done once for all c is done here."""


@runtime_checkable
class HasProxDerivative(Protocol):
    """A convex nonsmooth term that knows a generalised derivative of its prox."""

    def prox_derivative(self, X: Array, t: Array) -> Callable[[Array], Array]:
        """Return the derivative of prox_tg at X, V -> J[V]: symmetric, between 0 and 1."""


@runtime_checkable
class HasSubdifferential(Protocol):
    """A nonsmooth term that knows its subdifferential, not only its prox."""

    def nearest(self, X: Array, W: Array) -> Array:
        """Return the element of W + dg(X) of least norm."""

    def slope(self, X: Array, V: Array) -> Array:
        """Return the directional derivative g'(X; V)."""


@runtime_checkable
class HasWeight(Protocol):
    """A penalty with a weight."""

    def weighted(self, mu: float) -> Nonsmooth:
        """Return the same penalty with another weight."""


@dataclass(frozen=True)
class Face:
    """What g looks like near one X as long as nothing leaves or reaches a kink: a smooth function of the free entries."""

    free: Array  # mask of the entries that no kink holds
    gradient: Array  # of g at X, in the free entries; 0 in the others
    curvature: Callable[[Array], Array]  # V -> g''(X)[V], for V that vanishes in the others


@runtime_checkable
class HasFace(HasSubdifferential, Protocol):
    """A nonsmooth term that is smooth away from kinks, and knows where these are and what its subdifferential is."""

    def face(self, X: Array) -> Face:
        """Return g near X with the kinks that hold entries of X kept."""

    def snap(self, X: Array, reach: float) -> Array:
        """Return X with what is no farther than ``reach`` from a kink put on it."""

    def stop(self, X: Array, Z: Array) -> Array:
        """Return Z, but where the way from X to Z crosses a kink, that kink."""


@runtime_checkable
class HasData(Protocol):
    """A smooth term whose data are arrays, which tell the library and the precision to work in."""

    @property
    def data(self) -> Array | None:
        """One of the arrays, or None where there is none."""


@runtime_checkable
class HasShape(Protocol):
    """A term whose data fit only some shapes of X."""

    def check_shape(self, shape: tuple[int, int]) -> None:
        """Raise ``ValueError`` where X cannot have this shape."""
