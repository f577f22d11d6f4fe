"""The l21 norm, which makes whole rows vanish: row-sparse feature selection."""

from collections.abc import Callable

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace, power_of_two
from orthoprox.nonsmooth.base import Face, Nonsmooth


class L21(Nonsmooth):
    """The row-wise group norm g(X) = mu sum_i |x_i|_2, x_i the rows of X.

    prox_tg(X) has the rows max(1 - t mu / |x_i|, 0) x_i.
    """

    def __init__(self, mu: float) -> None:
        self.mu = inputs.number(mu, "mu", strict=False)

    def weighted(self, mu: float) -> "L21":
        """Return the same penalty with another weight."""
        return L21(mu)

    def at_rows(self, rows: Array) -> "L21":
        """Return g of matrices that are 0 outside of these rows: the same."""
        return self

    def value(self, X: Array) -> Array:
        return self.mu * namespace(X).sum(_row_norms(X), axis=(-2, -1))

    def prox(self, X: Array, t: Array) -> Array:
        return _shrink_rows(X, t * self.mu)

    def prox_derivative(self, X: Array, t: Array) -> Callable[[Array], Array]:
        """Return V -> the rows (1 - t mu / |x|) v + t mu <x, v> x / |x|^3 where |x| > t mu, and 0
        elsewhere.
        """
        xp = namespace(X)
        norms = _row_norms(X)
        unit = X / xp.where(norms > 0, norms, 1.0)
        share = xp.where(norms > t * self.mu, t * self.mu / xp.where(norms > 0, norms, 1.0), 1.0)
        along = xp.where(norms > t * self.mu, share, 0.0) * unit
        return lambda V: (1 - share) * V + along * xp.sum(unit * V, axis=-1, keepdims=True)

    def min_norm_subgradient(self, X: Array, W: Array) -> Array:
        """Return W + mu x_i / |x_i| in the nonzero rows; in the others the ball of radius mu takes
        what it can of W.
        """
        norms, unit = _row_norms(X), power_of_two(self.mu)  # in whose terms no square of W overflows
        direction = X / namespace(X).where(norms > 0, norms, 1.0)
        return namespace(X).where(norms > 0, W + self.mu * direction, unit * _shrink_rows(W / unit, self.mu / unit))

    def directional_derivative(self, X: Array, V: Array) -> Array:
        """Return mu <x_i, v_i> / |x_i| summed over the nonzero rows, plus mu |v_i| over the
        others.
        """
        xp = namespace(X)
        norms = _row_norms(X)
        along = xp.sum(X * V, axis=-1, keepdims=True) / xp.where(norms > 0, norms, 1.0)
        return self.mu * xp.sum(xp.where(norms > 0, along, _row_norms(V)), axis=(-2, -1))

    def face(self, X: Array) -> Face:
        """Return g near X: smooth in the nonzero rows x, with g' = mu x / |x| and g''[v] = mu
        (v - <x, v> x / |x|^2) / |x|.
        """
        xp = namespace(X)
        norms = _row_norms(X)
        safe = xp.where(norms > 0, norms, 1.0)
        unit, steep = X / safe, xp.where(norms > 0, self.mu / safe, 0.0)
        free = xp.broadcast_to(norms > 0, X.shape)
        return Face(free, self.mu * unit, lambda V: steep * (V - unit * xp.sum(unit * V, axis=-1, keepdims=True)))

    def round_to_kinks(self, X: Array, reach: float) -> Array:
        """Return X with 0 for the rows no longer than ``reach``."""
        return namespace(X).where(_row_norms(X) <= reach, 0.0, X)

    def stop_at_kinks(self, X: Array, Z: Array) -> Array:
        """Return Z with 0 for the rows that turn by more than a right angle."""
        xp = namespace(X)
        return xp.where(xp.sum(X * Z, axis=-1, keepdims=True) < 0, 0.0, Z)


def _row_norms(X: Array) -> Array:
    return namespace(X).linalg.vector_norm(X, axis=-1, keepdims=True)


def _shrink_rows(X: Array, threshold: Array) -> Array:
    xp = namespace(X)
    norms = _row_norms(X)
    return X * xp.clip(1 - threshold / xp.where(norms > 0, norms, 1.0), 0.0, None)
