"""
Convergence of all methods
==========================

All methods of the library have one interface. Here those that take an l1 norm run from one start,
and one evaluator measures them.
"""

# %%
# Sparse PCA with 80 variables and 8 components. Each method has its default parameters and 3
# seconds; what it reports about itself is not used.

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

A = op.datasets.five_components(200, 80, seed=1)
problem = op.problems.sparse_pca(A, n=8, mu=0.5)
X0 = op.stiefel.random_point(80, 8, seed=0)
stop = op.stopping.Stationary(1e-6) | op.stopping.MaxSeconds(3.0) | op.stopping.MaxIterations(4000)
smooth_only = {"rgd", "plam", "pcal", "landing"}
results = {}
for name, method in op.SOLVERS.items():
    if name not in smooth_only:
        results[name] = op.solve(problem, method(), X0, stop=stop, every=1 if name != "rsm" else 20)

# %%
# ``run_seconds`` is the time of the method alone, without measuring. Methods end in different local
# minima, so that the objective alone is not a race.

print("method         status      iterations  stationarity  objective")
for name, result in sorted(results.items(), key=lambda item: item[1].run_seconds):
    row = f"{result.iterations:>10}  {result.stationarity:>12.1e}  {result.projected_objective:.5f}"
    print(f"{name:<14} {result.status.name:<11} {row}")

# %%
# The KKT error is the larger of stationarity and feasibility, which ``tol`` bounds.

families = {
    "#b35806": ["adaptive", "lsalm"],
    "#542788": ["manpg", "manpg-ada", "amanpg", "rpg", "rpn-cg"],
    "#1b7837": ["soc", "pamal", "radmm", "madmm"],
    "#2166ac": ["manial", "mialm", "almssn"],
    "0.45": ["smoothing-rgd", "rsm", "dissolving"],
}
figure, axes = plt.subplots(figsize=(9, 5.2), layout="constrained")
styles = ["-", "--", ":", "-.", (0, (1, 1))]
for colour, names in families.items():
    for name, style in zip(names, styles, strict=False):
        history = results[name].history
        error = np.maximum(history["stationarity"], history["feasibility"])
        axes.loglog(history["run_seconds"][1:], error[1:], color=colour, linestyle=style, linewidth=1.6, label=name)
axes.axhline(1e-6, color="0.7", linewidth=0.8)
axes.set(xlabel="seconds of the method alone", ylabel="KKT error, proved", ylim=(1e-8, 3))
axes.grid(alpha=0.25)
axes.legend(ncols=1, fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
axes.spines[["top", "right"]].set_visible(False)
plt.show()
