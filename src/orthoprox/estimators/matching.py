"""Two sets of points, matched by the graphs of their triangulations."""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

import orthoprox as op
from orthoprox._arrays import inputs
from orthoprox.assignment import assign
from orthoprox.problems.graph_matching import edges_of, lengths_of, points_of
from orthoprox.smooth.matching import Matching

Matrix = np.ndarray[Any, Any]
_WIDTH = 0.5  # of the affinity, in median lengths of an edge
_GAIN = 1e-12  # relative, that makes a step between matchings
_MU = 2.0  # the weight of negative entries, as in the paper


@dataclass(frozen=True)
class GraphMatch:
    """Which point of the first set is which of the second."""

    assignment: Matrix  # for each point of the first set its place in the second, -1 if it has none
    score: float  # the mean affinity of the edges of the smaller graph, in [0, 1]; 1 for equal graphs
    points1: Matrix = field(repr=False)
    points2: Matrix = field(repr=False)
    edges1: Matrix = field(repr=False)  # pairs of points, as places in the set
    edges2: Matrix = field(repr=False)
    result: op.Result = field(repr=False)  # the certified result that was rounded

    @property
    def pairs(self) -> Matrix:
        """The matched pairs (i, j), of shape (pairs, 2)."""
        matched = np.flatnonzero(self.assignment >= 0)
        return np.stack([matched, self.assignment[matched]], axis=1)

    def plot(self) -> Any:
        """Draw both graphs side by side, with a line for each pair
        (``pip install "orthoprox[plot]"``).
        """
        from orthoprox.estimators.plots import draw_match

        return draw_match(self)


def match_graphs(
    points1: Any, points2: Any, *, width: float | None = None, mu: float = _MU, n_starts: int = 5, seed: Any = 0
) -> GraphMatch:
    """Return which point of one set in the plane is which of another.

    Each set becomes the graph of its Delaunay triangulation; edges of similar lengths have a large
    affinity. An orthonormal X that minimises  -vec(X)'K vec(X) + mu |max(0, -X)|_F^2  (see
    :func:`orthoprox.problems.graph_matching`) is rounded to the nearest matching P, and P becomes
    the best matching of the linear function vec(X)'K vec(P) as long as its score grows. The lengths
    of edges do not change if a set is turned, moved or mirrored, nor the matching if its unit does.

    Parameters
    ----------
    points1, points2 : arrays of shapes (m, 2) and (n, 2)
        Points in the plane, at least three and not all on one line. All points of the smaller set
        are matched.
    width : float, optional
        The scale of the affinity exp(-(a - b)^2 / width) of edges of lengths a and b, in squared
        units of length; by default (h / 2)^2 with h the median length of the edges of both sets.
    mu : float
        The weight of the penalty on negative entries of X.
    n_starts : int
        How many starts to solve from, all but the first random; the best score is taken.
    seed : int or numpy.random.Generator
        For random starts.

    Returns
    -------
    GraphMatch
        With ``assignment``, ``pairs``, ``score``, ``result`` and ``plot()``.

    References
    ----------
    M. Leordeanu, M. Hebert and R. Sukthankar, An integer projected fixed point method for graph
    matching and MAP inference, NIPS 2009.

    Examples
    --------
    >>> import numpy as np, orthoprox
    >>> points = np.random.default_rng(0).random((12, 2))
    >>> match = orthoprox.match_graphs(points, points[::-1])
    >>> match.assignment.tolist()
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    """
    first, second = points_of(points1, "points1"), points_of(points2, "points2")
    edges1, edges2 = edges_of(first, "points1"), edges_of(second, "points2")
    lengths = lengths_of(first, edges1), lengths_of(second, edges2)
    scale = _WIDTH * float(np.median(np.concatenate(lengths)))
    width = scale**2 if width is None else inputs.number(width, "width")
    affinity = np.exp(-((lengths[0][:, None] - lengths[1]) ** 2) / width)
    swapped = len(first) < len(second)
    graphs = (edges2, edges1, affinity.T) if swapped else (edges1, edges2, affinity)
    shape = (len(second), len(first)) if swapped else (len(first), len(second))
    term, rng = Matching(*graphs, shape, mu), inputs.generator(seed)
    problem, best = op.Problem(term, op.nonsmooth.Zero(), shape), None
    for k in range(inputs.integer(n_starts, "n_starts")):
        result = op.minimize(problem, "auto" if k == 0 else "random", seed=rng, history=False)
        P, value = _rounded(term, np.asarray(result.projected()))
        if best is None or value > best[1]:
            best = P, value, result
    P, value, result = cast(tuple[Matrix, float, op.Result], best)
    assignment, pairs = np.full(len(first), -1, dtype=np.int64), np.argwhere(P.T if swapped else P)
    assignment[pairs[:, 0]] = pairs[:, 1]
    score = value / (2 * min(len(edges1), len(edges2)))
    return GraphMatch(assignment, score, first, second, edges1, edges2, result)


def _rounded(term: Matching, X: Matrix) -> tuple[Matrix, float]:
    """Return a matching near X, as a matrix of zeros and ones, and vec(P)'K vec(P)."""
    P = _matching(X)
    value = -float(term.value(P))
    while True:
        other = _matching(-np.asarray(term.grad(P)))
        higher = -float(term.value(other))
        if not higher > value * (1 + _GAIN):
            return P, value
        P, value = other, higher


def _matching(X: Matrix) -> Matrix:
    """Return the matching with the largest sum of entries of X."""
    P = np.zeros(X.shape)
    P[assign(X), np.arange(X.shape[1])] = 1.0
    return P
