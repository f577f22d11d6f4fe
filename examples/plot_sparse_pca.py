"""Sparse PCA of the paper, (m, n) = (300, 150), solved by LSALM with the paper's parameters and
stopping rule.

Prints the certified result and writes a picture with the convergence curves and the loadings:

    python examples/plot_sparse_pca.py [demo.png]
"""

import sys

import orthoprox as op

picture = sys.argv[1] if len(sys.argv) > 1 else "demo.png"

A = op.datasets.five_components(1000, 300, seed=0)
problem = op.problems.sparse_pca(A, 150, 0.5)
solver = op.LSALM.paper("sparse_pca", problem)
X0 = op.stiefel.random_point(300, 150, seed=0)

with op.Progress() as progress:
    result = op.solve(problem, solver, X0, stop=op.stopping.paper.sparse_pca, every=10, callback=progress)

print(result)
result.plot().savefig(picture, dpi=150)
print(f"\nThe convergence curves and the loadings are drawn in {picture}.")
