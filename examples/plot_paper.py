"""
The paper's method with the paper's parameters
==============================================

LSALM as published: its parameters, its stopping rule, its sparse PCA problem at (m, n) = (300,
150), on data made after the paper's description. The default call is beside it.
"""

# %%
# ``op.LSALM.paper`` has the constants of the paper's experiments, ``op.stopping.paper`` their
# stopping rules.

import orthoprox as op

A = op.datasets.five_components(1000, 300, seed=0)
problem = op.problems.sparse_pca(A, n=150, mu=0.5)
X0 = op.stiefel.random_point(300, 150, seed=0)
solver = op.LSALM.paper("sparse_pca", problem)
result = op.solve(problem, solver, X0, stop=op.stopping.paper.sparse_pca, every=10)
print(result)

# %%
# The curves of the run and the entries of X: each column is a component with few nonzeros.

figure = result.plot()

# %%
# The default call needs no parameter. It goes on until its certificate proves a tolerance, and
# looks for lower minima: compare what both cost and where they end.

default = op.minimize(problem)
for name, one in (("paper", result), ("default", default)):
    row = f"{one.work.gradients:>6} gradients, stationary to {one.stationarity:.0e}"
    print(f"{name:>8}: objective {one.projected_objective:.4f}, {row}, {100 * one.sparsity:.1f} % zeros")
