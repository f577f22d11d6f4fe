"""pymanopt: Riemannian conjugate gradients on the smoothed l1 norm, with continuation.

The manifold is ``Stiefel`` with its QR retraction, the method ``ConjugateGradient`` with its
default rule, the gradient analytic (NumPy backend). Each of the six stages starts from the end of
the one before.

Tried on seeds 0 and 1 of five_components, Gaussian data and counts, (100, 50), (150, 10) and (100,
10):

- the line search as it comes, at most 10 halvings from a first step of length 1: the stages with
  eps <= 1e-5 can end at once without a step. With 40 halvings from .01 all six run; the objective
  is the same within .7 % on average, the processor time up to 1.8 times as long.
  ``BackTrackingLineSearcher`` ends no lower;
- relative gradients of 1e-6, 1e-5, 1e-4, 1e-3, 1e-2: the same objective on average down to 1e-3, 2
  to 4 % lost on Gaussian data at 1e-2; the processor time falls by a factor of 1.2 to 5 from 1e-5
  to 1e-3;
- the rules of Polak-Ribiere, Hager-Zhang and Liu-Storey, the polar retraction: alike;
- 1000 iterations a stage: the same within .1 %, in more time at (150, 10).
"""

import numpy as np
import pymanopt
from child import STAGES, Answer, Smoothed, Task, Variance, answer
from pymanopt.manifolds import Stiefel
from pymanopt.optimizers import ConjugateGradient
from pymanopt.optimizers.line_search import AdaptiveLineSearcher

MOST = 500  # iterations of a stage
TOLERANCE = 1e-3  # of the Riemannian gradient, relative to the gradient of |AX|^2 at the start
FIRST_STEP, HALVINGS = 0.01, 40


def solve(task: Task) -> Answer:
    """Run the stages."""
    manifold = Stiefel(*task.X0.shape)
    function = pymanopt.function.numpy(manifold)
    variance, X, iterations = Variance(task.A), task.X0, 0
    small = TOLERANCE * float(np.linalg.norm(variance.grad(X)))
    for eps in STAGES:
        smoothed = Smoothed(variance, task.mu, eps)
        problem = pymanopt.Problem(manifold, function(smoothed.value), euclidean_gradient=function(smoothed.grad))
        method = ConjugateGradient(
            line_searcher=AdaptiveLineSearcher(initial_step_size=FIRST_STEP, max_iterations=HALVINGS),
            max_iterations=MOST,
            max_time=np.inf,
            min_gradient_norm=small,
            verbosity=0,
        )
        result = method.run(problem, initial_point=X)
        X, iterations = result.point, iterations + result.iterations
    return Answer(X, iterations, result.stopping_criterion)


if __name__ == "__main__":
    answer(solve)
