"""The graph-matching objective, with its affinity product in factorised form."""

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, from_numpy, inner, namespace, to_numpy
from orthoprox._linalg.spectrum import spectral_norm
from orthoprox.smooth.base import Smooth


class Matching(Smooth):
    """The matching objective l(X) = -vec(X)'K vec(X) + mu |max(0, -X)|_F^2.

    K pairs each edge (i, j) of the first graph with each edge (a, b) of the second, in both
    orientations: the entry of K at the node pairs (i, a) and (j, b) is the affinity of the two
    edges. K has m^2 n^2 entries and is never formed:

        unvec(K vec X) = S1 (Q o X[h1, h2]) S2'

    with Q the affinities of the directed edges, h their heads and S the incidence matrices of their
    tails.

    Parameters
    ----------
    edges1, edges2 : integer arrays of shapes (e1, 2) and (e2, 2)
        The undirected edges of the graphs, as pairs of node numbers from 0.
    affinity : array of shape (e1, e2)
        The similarity of each edge of the first graph to each edge of the second.
    shape : tuple of two ints
        The numbers of nodes (m, n), m >= n.
    mu : float
        The weight of the penalty on negative entries.
    """

    def __init__(self, edges1: Any, edges2: Any, affinity: Any, shape: tuple[int, int], mu: float) -> None:
        self.shape = m, n = inputs.pair(shape)
        self.mu = inputs.number(mu, "mu", strict=False)
        affinity = inputs.matrix(affinity, "affinity")
        tails1, self._heads1 = _directed(edges1, m, "edges1")
        tails2, self._heads2 = _directed(edges2, n, "edges2")
        if tuple(affinity.shape) != (len(tails1) // 2, len(tails2) // 2):
            raise ValueError(
                f"affinity has shape {tuple(affinity.shape)}; it needs one row for each of the {len(tails1) // 2} edges of "
                f"the first graph and one column for each of the {len(tails2) // 2} edges of the second."
            )
        xp = namespace(affinity)
        self._affinity = xp.tile(affinity, (2, 2))
        self._tails1 = from_numpy(np.eye(m)[:, tails1], like=affinity)
        self._tails2 = from_numpy(np.eye(n)[:, tails2], like=affinity)
        self._heads1, self._heads2 = xp.asarray(self._heads1), xp.asarray(self._heads2)

    def times(self, factor: float) -> "Matching":
        """Return factor l."""
        multiple = copy(self)
        multiple.mu, multiple._affinity = self.mu * factor, self._affinity * factor
        multiple.__dict__.pop("lipschitz", None)
        return multiple

    def check_shape(self, shape: tuple[int, int]) -> None:
        if shape != self.shape:
            raise ValueError(f"X has shape {shape} but the graphs have {self.shape[0]} and {self.shape[1]} nodes.")

    @property
    def data(self) -> Array:
        return self._affinity

    def value(self, X: Array) -> Array:
        return self._both(X)[0]

    def grad(self, X: Array) -> Array:
        return self._both(X)[1]

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        return self._both(X)

    def _both(self, X: Array) -> tuple[Array, Array]:
        KX = self._apply(X)
        negative = namespace(X).clip(X, None, 0.0)
        return self.mu * inner(negative, negative) - inner(X, KX), 2 * self.mu * negative - 2 * KX

    @cached_property
    def lipschitz(self) -> float:
        """Twice the spectral norm of K, plus twice mu."""
        like = self._affinity

        def apply(V: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            X = from_numpy(np.reshape(V.T, (-1, *self.shape)), like=like)
            return np.reshape(to_numpy(self._apply(X)), (-1, self.shape[0] * self.shape[1])).T

        return 2 * spectral_norm(apply, self.shape[0] * self.shape[1]) + 2 * self.mu

    def _apply(self, X: Array) -> Array:
        """Return unvec(K vec X)."""
        xp = namespace(X)
        heads = xp.take(xp.take(X, self._heads1, axis=-2), self._heads2, axis=-1)
        return self._tails1 @ (self._affinity * heads) @ self._tails2.mT


def _directed(edges: Any, nodes: int, name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the tails and heads of all edges, then of all edges reversed."""
    given = to_numpy(inputs.matrix(edges, name, shape=(None, 2)))
    pairs = given.astype(np.int64)
    if np.any(pairs != given):
        raise ValueError(f"{name} has entries that are not whole; it needs node numbers, pairs of whole numbers from 0.")
    if pairs.min() < 0 or pairs.max() >= nodes:
        raise ValueError(f"{name} has node numbers {pairs.min()} to {pairs.max()}; they need to lie in 0 to {nodes - 1}.")
    return np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
