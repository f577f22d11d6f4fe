"""The start from a rotation: principal components that are rotated until g is low.

For a variance l(VR) = l(V) for every rotation R. Under a weak penalty, the rotation is nearly the
whole problem: min g(VR) over R'R = I.
"""

import numpy as np

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array, from_numpy, namespace, to_numpy
from orthoprox._linalg.stiefel import polar
from orthoprox.problems.counted import takes_stacks
from orthoprox.problems.problem import Problem
from orthoprox.problems.smoothed import smoothing
from orthoprox.smooth.curvature import hessian_matrix
from orthoprox.starts.points import like_data, power


def rotated(problem: Problem, rng: np.random.Generator) -> Array:
    """Return principal components, rotated by the best of a few R that a smoothing continuation
    finds.
    """
    return min(rotations(problem, rng, SMALL.rotations), key=lambda X: float(problem.value(X)))


def rotations(problem: Problem, rng: np.random.Generator, number: int) -> list[Array]:
    """Return VR for some minimisers R of the smoothed g(VR), V principal components: one from
    R = I, the others from random R, if the terms take stacks of matrices.

    With e the Moreau envelope of g for nu and V'V = I, a gradient step of length nu on e(VR) and
    the way back to the manifold are  R+ = polar(V' prox_{nu g}(VR)).
    """
    k, (m, n) = SETTINGS, problem.shape
    V, coordinate_point = _subspace(problem, rng), like_data(problem, np.eye(m, n))
    D, stacks = problem.grad(V), takes_stacks(problem, V)
    R = np.stack([np.eye(n), *(polar(rng.standard_normal((n, n))) for _ in range(number - 1))])
    R = from_numpy(R if stacks else R[0], like=V)
    for width in (*k.widths, k.widths[-1] ** 2):
        nu = smoothing(problem.nonsmooth, coordinate_point, D, width)
        for _ in range(k.power):
            R = polar(V.mT @ problem.prox(V @ R, nu))
    return list(V @ R) if stacks else [V @ R]


def _subspace(problem: Problem, rng: np.random.Generator) -> Array:
    H = hessian_matrix(problem.smooth)
    if H is not None and H.shape[-1] <= SMALL.decomposed:
        V = to_numpy(namespace(H).linalg.eigh(H)[1])[:, : problem.shape[1]]
        largest = np.take_along_axis(V, np.argmax(np.abs(V), axis=0)[None], axis=0)  # positive, whatever the order of the rows
        return from_numpy(V * np.sign(largest), like=H)
    return power(problem, rng)
