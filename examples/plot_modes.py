"""
Compressed modes
================

Eigenfunctions of a Schroedinger operator spread over the whole domain. An l1 norm makes them local,
while they stay orthonormal: these are compressed modes.
"""

# %%
# The problem is min tr(X'HX) + mu \|X\|_1 subject to X'X = I, with H = -Laplacian / 2 on a periodic
# interval of length 50. The larger mu, the shorter the modes.

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

m, n = 200, 6
weights = [0.0, 0.05, 0.5]
results = [op.minimize(op.problems.compressed_modes(m, n, mu)) for mu in weights]
for mu, result in zip(weights, results, strict=True):
    print(f"mu = {mu:4}: {result.status.name}, {100 * result.sparsity:4.1f} % zeros, objective {result.objective:.5f}")

# %%
# Without the norm any rotation of the six smoothest waves is a solution, and one of them is shown;
# with it the modes are bumps of finite length, each exactly zero outside.

x = np.linspace(0, 50, m, endpoint=False)
figure, panels = plt.subplots(3, 1, figsize=(8, 6.4), sharex=True, layout="constrained")
for axes, mu, result in zip(panels, weights, results, strict=True):
    X = np.asarray(result.projected() if mu == 0 else result.X)
    X = X * np.sign(X[np.abs(X).argmax(axis=0), np.arange(n)])
    order = np.argsort(np.abs(X).argmax(axis=0))
    for j, colour in zip(order, plt.cm.plasma(np.linspace(0, 0.85, n)), strict=True):
        axes.plot(x, X[:, j], color=colour, linewidth=1.6)
        if mu:
            axes.fill_between(x, X[:, j], color=colour, alpha=0.15)
    axes.set_title(f"mu = {mu:g}: {100 * result.sparsity:.0f} % of the entries are zero", loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
panels[-1].set(xlabel="x", xlim=(0, 50))
plt.show()

# %%
# The energy of the modes, tr(X'HX), is what the penalty costs. It is printed beside the sum of the
# smallest eigenvalues, the least that orthonormal functions can have.

H = op.problems.compressed_modes(m, n, 0.0).smooth.A.toarray() / 2
print(f"sum of the {n} smallest eigenvalues: {np.linalg.eigvalsh(H)[:n].sum():.4f}")
for mu, result in zip(weights, results, strict=True):
    X = np.asarray(result.projected())
    print(f"mu = {mu:4}: tr(X'HX) = {np.trace(X.T @ H @ X):.4f}")
