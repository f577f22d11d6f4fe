"""
A penalty path
==============

How loadings leave as the weight of the penalty grows. ``op.path`` solves for all weights, each from
the solution before, along the path and back.
"""

# %%
# Pit props: the correlations of 13 measurements of timber, a classic of sparse PCA. With a
# covariance matrix C the problem is min -tr(X'CX) + mu \|X\|_1.

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

props = op.datasets.pitprops()
problem = op.Problem(op.smooth.Quadratic(-2 * props.correlation), op.nonsmooth.L1(0.0), shape=(13, 3))
weights = np.r_[0.02, np.linspace(0.05, 2.0, 40)]
results = op.path(problem, weights)
total = np.trace(props.correlation)
for mu, result in list(zip(weights, results, strict=True))[::8]:
    X = np.asarray(result.X)
    share = np.trace(X.T @ props.correlation @ X) / total
    print(f"mu = {mu:.2f}: {result.status.name}, {np.count_nonzero(X):2} nonzeros, {100 * share:.1f} % of the variance")

# %%
# Each line is a loading of the first component (the one with most variance at the smallest weight).
# Loadings reach zero one by one; a jump is a change from one local minimum to another, lower one.

X0 = np.asarray(results[0].X)
lead = np.argmax(np.diag(X0.T @ props.correlation @ X0))
reference, lines = X0[:, lead], []
for result in results:  # follow the component: the column most like the one before
    X = np.asarray(result.X)
    j = np.argmax(np.abs(X.T @ reference))
    reference = X[:, j] * np.sign(X[:, j] @ reference)
    lines.append(reference)
lines = np.array(lines)
lines *= np.sign(lines[0].sum())
figure, axes = plt.subplots(figsize=(8.5, 4.6), layout="constrained")
colours = plt.cm.tab20(np.linspace(0, 1, 13))
for i in np.argsort(-np.abs(lines).max(axis=0)):
    axes.plot(weights, lines[:, i], color=colours[i], linewidth=1.6, label=props.names[i])
axes.set(xlabel="weight mu", ylabel="loading in the first component", xlim=(0, 2))
axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# What the penalty buys and costs: nonzeros and explained variance of all three components.

nonzeros = [np.count_nonzero(result.X) for result in results]
shares = [100 * np.trace(result.X.T @ props.correlation @ result.X) / total for result in results]
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(weights, shares, color="#542788")
axes.set(xlabel="weight mu", xlim=(0, 2))
axes.set_ylabel("variance explained, in %", color="#542788")
other = axes.twinx()
other.step(weights, nonzeros, color="#b35806", where="mid")
other.set_ylabel("nonzeros of 39", color="#b35806")
axes.spines["top"].set_visible(False)
other.spines["top"].set_visible(False)
plt.show()
