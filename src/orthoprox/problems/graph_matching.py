"""Graph matching: which landmark of one picture is which of another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import to_numpy
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem
from orthoprox.smooth.matching import Matching


@quiet()
def graph_matching(points1: Any, points2: Any, mu: float, *, width: float = 2500.0) -> Problem:
    """Return the problem  min -vec(X)'K vec(X) + mu |max(0, -X)|_F^2  subject to  X'X = I_n.

    Each set of points becomes the graph of its Delaunay triangulation. Two edges of lengths a and b
    have the affinity exp(-(a - b)^2 / width), from which K is made (see
    :class:`orthoprox.smooth.Matching`). Large entries of the solution pair the points of the first
    set (rows) with those of the second (columns).

    Parameters
    ----------
    points1, points2 : arrays of shapes (m, 2) and (n, 2)
        Points in the plane, m >= n >= 3, not all on one line.
    mu : float
        The weight of the penalty on negative entries.
    width : float
        The scale of the affinity, in squared units of length.
    """
    width = inputs.number(width, "width")
    points1, points2 = (points_of(points, name) for points, name in ((points1, "points1"), (points2, "points2")))
    shape = (len(points1), len(points2))
    if shape[0] < shape[1]:
        raise ValueError(
            f"points1 has {shape[0]} points, points2 has {shape[1]}; X'X = I needs the larger set first, swap them."
        )
    edges1, edges2 = edges_of(points1, "points1"), edges_of(points2, "points2")
    difference = lengths_of(points1, edges1)[:, None] - lengths_of(points2, edges2)[None, :]
    affinity = np.exp(-(difference**2) / width)  # edges too different to compare have none
    return Problem(Matching(edges1, edges2, affinity, shape, mu), Zero(), shape)


def points_of(value: Any, name: str) -> NDArray[np.float64]:
    """Return points in the plane, checked."""
    points = to_numpy(inputs.matrix(value, name, shape=(None, 2))).astype(np.float64)
    if len(points) < 3:
        raise ValueError(f"{name} has {len(points)} point(s); a triangulation needs at least 3.")
    return points


def edges_of(points: NDArray[np.float64], name: str) -> NDArray[np.int64]:
    """Return the edges of the Delaunay triangulation, each once."""
    from scipy.spatial import Delaunay, QhullError

    try:
        corners = Delaunay(points).simplices
    except QhullError as error:
        raise ValueError(f"{name} cannot be triangulated; its points need to be distinct and not all on one line.") from error
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return np.unique(np.sort(sides, axis=1), axis=0).astype(np.int64)


def lengths_of(points: NDArray[np.float64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the lengths of edges."""
    sides = points[edges[:, 0]] - points[edges[:, 1]]
    return np.hypot(sides[:, 0], sides[:, 1])
