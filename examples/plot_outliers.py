"""
Robust components with outliers
===============================

Variance squares what is large, so that a few wrong rows decide the components. A loss that grows
linearly forgives them. Any differentiable loss can stand in the place of the variance.
"""

# %%
# 300 samples of 20 variables follow two sparse components; twelve rows are wrong and point in a
# direction of their own.

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

rng = np.random.default_rng(1)
truth = np.zeros((20, 2))
truth[:5, 0] = truth[8:12, 1] = 1
truth /= np.linalg.norm(truth, axis=0)
A = rng.standard_normal((300, 2)) * [3.0, 2.2] @ truth.T + 0.5 * rng.standard_normal((300, 20))
wrong = np.zeros(300, dtype=bool)
wrong[:12] = True
A[wrong] += 22 * np.outer(rng.choice([-1, 1], 12), np.linspace(-1, 1, 20) / np.linalg.norm(np.linspace(-1, 1, 20)))

# %%
# The robust loss is -sum log cosh(a_i'x_j), which is a_i'x_j squared where that is small and its
# absolute value where it is large. ``check_grad`` compares the gradient with finite differences.

log_cosh = op.smooth.Function(lambda X: -np.sum(np.logaddexp(A @ X, -A @ X)), lambda X: -A.T @ np.tanh(A @ X))
print(f"error of the gradient: {op.checks.check_grad(log_cosh, truth):.0e}")


def angle(X):
    """The largest angle between the components and the truth, in degrees."""
    return np.degrees(np.arccos(np.clip(np.linalg.svd(truth.T @ X)[1].min(), 0, 1)))


# %%
# Both losses get the weight that suits them best, judged by the truth.

losses = {"variance": (op.smooth.Variance(A), 200.0), "log cosh": (log_cosh, 10.0)}
found = {}
for name, (loss, mu) in losses.items():
    problems = [op.Problem(loss, op.nonsmooth.L1(mu * 2**k), shape=(20, 2)) for k in range(6)]
    result = min((op.minimize(problem) for problem in problems), key=lambda result: angle(result.X))
    found[name] = np.asarray(result.X)
    print(f"{name:>8}: {angle(result.X):4.1f} degrees from the truth, {100 * result.sparsity:.0f} % zeros")

# %%
# Left, the loadings. Right, all samples in the two robust components: the wrong rows stand out
# although nothing marked them.

figure, panels = plt.subplots(1, 3, figsize=(11, 4.2), width_ratios=[1, 1, 1.5], layout="constrained")
for axes, (name, X) in zip(panels, found.items(), strict=False):
    X = X[:, np.argsort(np.abs(X[8:12]).sum(axis=0))]
    X = X * np.sign(X[np.abs(X).argmax(axis=0), [0, 1]])
    for j, colour in enumerate(("#542788", "#e08214")):
        axes.barh(np.arange(1, 21) + 0.2 - 0.4 * j, X[:, j], height=0.4, color=colour)
    axes.barh(np.arange(1, 21), np.where(truth.sum(axis=1) > 0, 0.98, np.nan), color="0.9", zorder=0)
    axes.set(title=name, xlabel="loading", ylim=(20.7, 0.3), xlim=(-0.8, 1), yticks=[1, 5, 10, 15, 20])
    axes.axvline(0, color="0.5", linewidth=0.8)
panels[0].set_ylabel("variable; grey: those of the truth")
residual = np.linalg.norm(A - A @ found["log cosh"] @ found["log cosh"].T, axis=1)
size = np.linalg.norm(A @ found["log cosh"], axis=1)
panels[2].scatter(size[~wrong], residual[~wrong], s=16, color="#542788", alpha=0.5, label="samples")
panels[2].scatter(size[wrong], residual[wrong], s=28, color="#e08214", marker="D", label="the twelve wrong ones")
panels[2].set(xlabel="size of the scores", ylabel="distance from the plane", title="distance from the robust components")
panels[2].legend(frameon=False)
plt.show()
