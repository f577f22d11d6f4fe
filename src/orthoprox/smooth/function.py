"""Any differentiable function, given by two callables."""

from collections.abc import Callable

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox.smooth.base import Smooth


class Function(Smooth):
    """The smooth term l = fun, with gradient grad.

    Its curvature is estimated where a method asks for it. A function that knows a Lipschitz
    constant of its gradient is a subclass of :class:`orthoprox.smooth.Smooth` with a ``lipschitz``
    property.

    Parameters
    ----------
    fun : callable
        X -> l(X), a number (for a batch of X: one number each).
    grad : callable
        X -> the Euclidean gradient, of the shape of X. ``orthoprox.checks.check_grad`` tells
        whether it fits ``fun``.
    """

    def __init__(self, fun: Callable[[Array], Array], grad: Callable[[Array], Array]) -> None:
        self._fun, self._grad = inputs.function(fun, "fun", "X"), inputs.function(grad, "grad", "X")

    def value(self, X: Array) -> Array:
        return self._fun(X)

    def grad(self, X: Array) -> Array:
        return self._grad(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        return self._fun(namespace(X).asarray(X, copy=True)), self._grad(X)  # fun may change its argument
