"""Pictures of a result."""

import numpy as np

from orthoprox._arrays.library import to_numpy
from orthoprox._certify.evaluator import ZERO
from orthoprox._run.result import Result

try:
    from matplotlib.axes import Axes
    from matplotlib.colors import CenteredNorm
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('A plot needs matplotlib: pip install "orthoprox[plot]".') from error


def draw(result: Result) -> Figure:
    """Return a figure with the convergence curves on the left and the nonzero entries of X on the
    right.
    """
    figure = Figure(figsize=(12, 5.5), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    draw_convergence(result, figure.add_subplot(grid[0, 0]))
    draw_objective(result, figure.add_subplot(grid[1, 0]))
    draw_entries(result, figure.add_subplot(grid[:, 1]))
    m, n = result.problem.shape
    figure.suptitle(f"{result.method}, X of shape ({m}, {n}), {result.iterations} iterations. {result.status.value}")
    return figure


def draw_convergence(result: Result, axes: Axes) -> None:
    """Draw stationarity and feasibility against the iterations, from the first step on."""
    k = result.history["iteration"]
    for name, label in (("stationarity", "relative stationarity"), ("feasibility", "feasibility |X'X - I|")):
        values = result.history[name]
        axes.plot(k, np.where((k > 0) & (values > 0), values, np.nan), marker=".", markersize=3, linewidth=1, label=label)
    axes.set(yscale="log", xlim=(0, max(1, k[-1])), title="Convergence")
    axes.tick_params(labelbottom=False)
    axes.grid(alpha=0.3)
    axes.legend(loc="best")


def draw_objective(result: Result, axes: Axes) -> None:
    """Draw how far the objective at the feasible point lies above the best of the run."""
    k, objective = result.history["iteration"], result.history["projected_objective"]
    gap = objective - np.min(objective)
    axes.plot(k, np.where(gap > 0, gap, np.nan), color="tab:green", marker=".", markersize=3, linewidth=1)
    axes.set(
        yscale="log", xlim=(0, max(1, k[-1])), xlabel="iteration", title=f"Objective above its lowest, {np.min(objective):.6g}"
    )
    axes.grid(alpha=0.3)


def draw_entries(result: Result, axes: Axes) -> None:
    """Draw each entry with |x| >= 1e-5 as a dot, coloured by its value; columns in the order of
    their largest entry.
    """
    X = to_numpy(result.X)
    X = X[:, np.argsort(np.argmax(np.abs(X), axis=0), kind="stable")]
    rows, columns = np.nonzero(np.abs(X) >= ZERO)
    area = np.clip(120_000 / X.size, 4, 40)
    dots = axes.scatter(columns, rows, c=X[rows, columns], s=area, cmap="coolwarm", norm=CenteredNorm(), edgecolors="none")
    axes.set(xlim=(-0.5, X.shape[1] - 0.5), ylim=(X.shape[0] - 0.5, -0.5), xlabel="column (sorted)", ylabel="row")
    axes.set_title(f"Entries of X, {100 * result.sparsity:.1f} % are zero")
    figure = axes.get_figure()
    if figure is not None:
        figure.colorbar(dots, ax=axes)
