"""Any prox-friendly function, given by two callables."""

from collections.abc import Callable

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array
from orthoprox.nonsmooth.base import Nonsmooth


class Function(Nonsmooth):
    """The nonsmooth term g = fun with its prox.

    A bare prox shows one subgradient at a time: certificates stay rigorous upper bounds, and their
    lower bound is 0. A term with ``min_norm_subgradient`` and ``directional_derivative``
    (``HasSubdifferential`` in ``nonsmooth/base.py``) gets both. Nor is there a polish: X is
    feasible and stationary to ``tol``, not to rounding. A :class:`Separable` term has all of it.

    Parameters
    ----------
    fun : callable
        X -> g(X), a number (for a batch of X: one number each).
    prox : callable
        (X, t) -> argmin_P g(P) + |P - X|^2 / (2 t). ``orthoprox.checks.check_prox`` tells whether
        it fits ``fun``.
    modulus : float
        The weak convexity modulus, 0 for a convex g.
    """

    def __init__(self, fun: Callable[[Array], Array], prox: Callable[[Array, Array], Array], modulus: float = 0.0) -> None:
        self._fun, self._prox = inputs.function(fun, "fun", "X"), inputs.function(prox, "prox", "X and t")
        self.modulus = inputs.number(modulus, "modulus", strict=False)

    def value(self, X: Array) -> Array:
        return self._fun(X)

    def prox(self, X: Array, t: Array) -> Array:
        return self._prox(X, t)
