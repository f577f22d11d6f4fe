"""PySTOP, the toolbox for Stiefel manifold optimisation by the authors of SLPG, PenC and PCAL: SLPG
with the prox of l1.

``SLPG`` is the sequential linearised proximal gradient method for f + r on the manifold, given f
with its gradient and the prox of r: the l1 norm itself, without smoothing. It has no parameter but
the number of iterations (100 as it comes, too few here) and the tolerance. Its docstring states the
prox with 1/eta |Y - X|^2; its steps, and its l21 variant, use 1/(2 eta), and so does the threshold
here.

As it comes it is infeasible: after each prox step ``Stiefel.A`` moves X towards the manifold, X(3I
- X'X)/2, and steps have the length of Barzilai and Borwein without a safeguard. From random starts
that diverges: on 9 of 10 instances of five_components, Gaussian data and counts, (100, 50), (150,
10), (100, 10), most within 30 iterations. With the package's own ``Feas_correction`` as ``A`` it
does not diverge, but ends anywhere (up to 80 % above); a term -|A|^2 (|X|^2 - n), which draws
towards the manifold, does not help. With the package's own ``Post_process``, the projection, as
``A`` it converges on all of them, and that is what runs here. Cheaper ways to the projection
(eigenvalues of X'X, or ``A`` repeated until it stands still) save a quarter of the time at (300,
150) at the most.
"""

import numpy as np
from child import Answer, Matrix, Task, Variance, answer
from pystop.manifold import Stiefel
from pystop.solver import SLPG

MOST = 10_000  # iterations
TOLERANCE = 1e-6  # of the length of the prox step over its size, relative to the gradient of |AX|^2 at the start


class Projected(Stiefel):
    """The manifold, with the projection instead of a step towards it."""

    def A(self, X: Matrix) -> Matrix:  # noqa: N802 - PySTOP's name
        """Return the nearest point of the manifold."""
        return self.Post_process(X)


def solve(task: Task) -> Answer:
    """Run SLPG."""
    variance = Variance(task.A)
    small = TOLERANCE * float(np.linalg.norm(variance.grad(task.X0)))

    def prox(X: Matrix, t: float) -> Matrix:
        return X - np.clip(X, -t * task.mu, t * task.mu)

    X, log = SLPG(
        lambda X: (variance.value(X), variance.grad(X)),
        Projected(*task.X0.shape),
        Xinit=task.X0,
        prox=prox,
        maxit=MOST,
        gtol=small,
        verbosity=0,
    )
    ended = "converged" if log["kkt"] < small else "not converged"
    return Answer(X, len(log["kkts"]), f"{ended}; A is the projection")


if __name__ == "__main__":
    answer(solve)
