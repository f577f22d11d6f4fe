"""The power method: an approximate minimiser of l alone."""

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._arrays.library import Array, namespace, norm, precision
from orthoprox._linalg.stiefel import polar, sym
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import largest_secant
from orthoprox.stopping.clock import Stopped


def power(problem: Problem, X: Array) -> Array:
    """Return an approximate minimiser of l alone, from a point X of the manifold.

    It takes fifteen steps of X+ = polar(cX - grad l(X)). With c = 0 and a quadratic l these are
    steps of the power method. If l does not fall, c becomes the curvature of l. Then X is rotated
    to the eigenvectors of sym(X' grad l(X)), if l does not rise.
    """
    k, ell = SETTINGS, problem.smooth
    value, D = ell.value_and_grad(X)
    c = 0.0
    try:
        for _ in range(k.power):
            W = c * X - D
            new = polar(W / (float(norm(W)) or 1.0))
            trial, E = ell.value_and_grad(new)
            if float(trial) <= float(value):
                X, value, D = new, trial, E
            elif c == 0:
                c = largest_secant(ell, X, D, k.power_steps)
            else:
                c *= 2
    except Stopped:  # time is over, or Ctrl-C was pressed: this is the best so far
        return X
    rotated = X @ namespace(X).linalg.eigh(sym(X.mT @ D))[1]
    slack = precision(X) ** 0.5 * abs(float(value))
    return rotated if float(ell.value(rotated)) <= float(value) + slack else X
