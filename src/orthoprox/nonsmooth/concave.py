"""Folded concave penalties: as sparse as l1, without its bias on large entries. Both are weakly
convex.
"""

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth.separable import Separable


class MCP(Separable):
    """The minimax concave penalty, of slope mu at 0 and flat beyond gamma mu.

    g(x) = mu |x| - x^2 / (2 gamma)  for |x| <= gamma mu,  gamma mu^2 / 2  beyond;  modulus
    1 / gamma.

    prox_tg(x) = 0 for |x| <= t mu,  sign(x) (|x| - t mu) / (1 - t / gamma) up to |x| = gamma mu,  x
    beyond.

    Reference: C.-H. Zhang, Nearly unbiased variable selection under minimax concave penalty, Ann.
    Statist. 38 (2010).
    """

    def __init__(self, mu: float, gamma: float = 3.0) -> None:
        self.mu = inputs.number(mu, "mu", strict=False)
        self.gamma = inputs.number(gamma, "gamma")
        self.modulus = inputs.number(1 / self.gamma, "The modulus 1 / gamma")

    def weighted(self, mu: float) -> "MCP":
        """Return the same penalty with another weight."""
        return MCP(mu, self.gamma)

    def at(self, entries: PackedEntries) -> "MCP":
        return MCP(self.mu, self.gamma)

    def at_rows(self, rows: Array) -> "MCP":
        """Return g of matrices that are 0 outside of these rows: the same."""
        return self

    def value(self, X: Array) -> Array:
        xp = namespace(X)
        x = xp.clip(xp.abs(X), None, self.gamma * self.mu)
        return xp.sum(self.mu * x - x**2 / (2 * self.gamma), axis=(-2, -1))

    def prox(self, X: Array, t: Array) -> Array:
        _check_step(self, t, "a larger gamma")
        xp = namespace(X)
        x = xp.abs(X)
        inside = xp.sign(X) * xp.clip(x - t * self.mu, 0.0, None) / (1 - t / self.gamma)
        return xp.where(x <= self.gamma * self.mu, inside, X)

    def interval(self, X: Array) -> tuple[Array, Array]:
        xp = namespace(X)
        return _fold(X, xp.clip(self.mu - xp.abs(X) / self.gamma, 0.0, None))


class SCAD(Separable):
    """The smoothly clipped absolute deviation, of slope mu up to mu and flat beyond a mu.

    g(x) = mu |x|  for |x| <= mu,  (2 a mu |x| - x^2 - mu^2) / (2 (a - 1))  up to a mu,  (a + 1)
    mu^2 / 2  beyond; modulus 1 / (a - 1).

    prox_tg(x) = soft(x, t mu) for |x| <= (1 + t) mu,  ((a - 1) x - sign(x) a t mu) / (a - 1 - t) up
    to |x| = a mu,  x beyond.

    Reference: J. Fan and R. Li, Variable selection via nonconcave penalized likelihood, J. Amer.
    Statist. Assoc. 96 (2001).
    """

    def __init__(self, mu: float, a: float = 3.7) -> None:
        self.mu = inputs.number(mu, "mu", strict=False)
        self.a = inputs.number(a, "a", minimum=1.0)
        self.modulus = 1 / (self.a - 1)

    def weighted(self, mu: float) -> "SCAD":
        """Return the same penalty with another weight."""
        return SCAD(mu, self.a)

    def at(self, entries: PackedEntries) -> "SCAD":
        return SCAD(self.mu, self.a)

    def at_rows(self, rows: Array) -> "SCAD":
        """Return g of matrices that are 0 outside of these rows: the same."""
        return self

    def value(self, X: Array) -> Array:
        xp = namespace(X)
        x = xp.abs(X)
        low, high = xp.clip(x, None, self.mu), xp.clip(x, self.mu, self.a * self.mu)
        tail = (high - self.mu) * (2 * self.a * self.mu - self.mu - high) / (2 * (self.a - 1))  # mu^2 would overflow
        return xp.sum(self.mu * low + tail, axis=(-2, -1))

    def prox(self, X: Array, t: Array) -> Array:
        _check_step(self, t, "a larger a")
        xp = namespace(X)
        x, mu, a = xp.abs(X), self.mu, self.a
        soft = xp.clip(x - t * mu, 0.0, None)
        middle = ((a - 1) * x - a * t * mu) / (a - 1 - t)
        return xp.where(x <= a * mu, xp.sign(X) * xp.where(x <= (1 + t) * mu, soft, middle), X)

    def interval(self, X: Array) -> tuple[Array, Array]:
        xp = namespace(X)
        return _fold(X, xp.clip((self.a * self.mu - xp.abs(X)) / (self.a - 1), 0.0, self.mu))


def _fold(X: Array, slope: Array) -> tuple[Array, Array]:
    """Return the subdifferential of a penalty of |x| whose derivative at |x| > 0 is ``slope``."""
    xp = namespace(X)
    return xp.where(X > 0, slope, -slope), xp.where(X < 0, -slope, slope)


def _check_step(g: MCP | SCAD, t: Array, remedy: str) -> None:
    largest = float(namespace(t).max(t)) if getattr(t, "ndim", 0) else float(t)
    if not largest * g.modulus < 1:
        raise ValueError(
            f"The prox of {type(g).__name__} was asked for t = {largest:g}, but it is single-valued only for "
            f"t < 1 / modulus = {1 / g.modulus:g}. Use a smaller step or {remedy}."
        )
