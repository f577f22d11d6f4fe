"""
Starts and local minima
=======================

Problems with X'X = I have many local minima, and a solver finds one of them. How different are
they? One problem, sixty random starts, and what the default call does about it.
"""

# %%
# The wines again, four components. Each run converges to a certified stationary point; they differ.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

import orthoprox as op

wine = load_wine().data
A = (wine - wine.mean(axis=0)) / wine.std(axis=0) / len(wine) ** 0.5
problem = op.problems.sparse_pca(A, n=4, mu=0.6)
runs = [op.minimize(problem, "random", seed=seed, effort="fast") for seed in range(60)]
ends = np.array([run.objective for run in runs])
found = op.minimize(problem)
thorough = op.minimize(problem, effort="thorough")
levels, counts = np.unique(ends.round(6), return_counts=True)
print(f"{sum(run.converged for run in runs)} of 60 runs converged, to {len(levels)} different values")
print(f"lowest of them {ends.min():.6f}, reached by {counts[0]}; median {np.median(ends):.6f}")
print(f"default call   {found.objective:.6f}")
print(f"thorough       {thorough.objective:.6f}")

# %%
# The default call probes several starts and hops between minima; the last line below says what that
# costs. It promises no global minimum: nobody knows one.

work = np.array([run.work.gradients for run in runs])
figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
axes.plot(np.arange(1, 61), np.sort(ends), "o", color="#542788", markersize=4, label="random starts, sorted")
axes.axhline(found.objective, color="#b35806", label="default call")
axes.set(xlabel="runs", ylabel="objective at the end", xlim=(0, 61))
axes.grid(alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, loc="upper left")
plt.show()
print(f"gradients: {np.median(work):.0f} for one random start (median), {found.work.gradients} for the default call")

# %%
# Two minima of nearly the same value may tell different stories. Here are the loadings of the
# lowest one and of the next.

order = np.argsort(ends)
second = next(runs[k] for k in order if ends[k] > ends.min() + 1e-6)
figure, panels = plt.subplots(1, 2, figsize=(8, 4.2), sharey=True, layout="constrained")
for axes, run, name in zip(panels, (found, second), ("default call", "the next minimum"), strict=True):
    X = np.asarray(run.X)
    X = X[:, np.argsort(-np.sum((A @ X) ** 2, axis=0))]
    X = X * np.sign(X[np.abs(X).argmax(axis=0), range(4)])
    axes.imshow(np.where(X == 0, np.nan, X), cmap="PuOr", vmin=-0.9, vmax=0.9, aspect="auto")
    axes.set_title(f"{name}: {run.objective:.4f}", fontsize=10)
    axes.set_xticks(range(4), range(1, 5))
    axes.set_xlabel("component")
panels[0].set_yticks(range(13), load_wine().feature_names)
plt.show()
