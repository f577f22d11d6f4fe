"""Pictures of a result."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure

from orthoprox._arrays import to_numpy
from orthoprox.metrics import ZERO
from orthoprox.result import Result


def draw(result: Result) -> Figure:
    """Return a figure with the convergence curves on the left and the nonzero entries of X on the right."""
    figure = Figure(figsize=(12, 5), layout="constrained")
    curves, entries = figure.subplots(1, 2)
    m, n = result.problem.shape
    draw_convergence(result, curves)
    draw_entries(result, entries)
    figure.suptitle(f"{type(result.solver).__name__}, X of shape ({m}, {n}): {result.status.value}")
    return figure


def draw_convergence(result: Result, axes: Axes) -> None:
    """Draw stationarity and feasibility against the iterations, and the objective on a second axis."""
    history = result.history
    k = history["iteration"]
    for name, color in (("stationarity", "tab:blue"), ("feasibility", "tab:orange")):
        positive = np.where(history[name] > 0, history[name], np.nan)  # the start is exactly feasible, or nearly
        axes.plot(k, positive, color=color, marker=".", markersize=4, label=name)
    axes.set(xlabel="iteration", ylabel="relative stationarity,  |X'X - I|", yscale="log", title="Convergence")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(0, max(1, k[-1]))
    objective = axes.twinx()
    objective.plot(k, history["projected_objective"], color="tab:green", linewidth=1, label="objective at the feasible point")
    objective.set_ylabel("objective", color="tab:green")
    lines = [*axes.get_lines(), *objective.get_lines()]
    axes.legend(lines, [str(line.get_label()) for line in lines], loc="lower left")


def draw_entries(result: Result, axes: Axes) -> None:
    """Draw each entry with |x| >= 1e-5 as a dot, coloured by its value; columns in the order of their largest entry."""
    X = to_numpy(result.X)
    X = X[:, np.argsort(np.argmax(np.abs(X), axis=0), kind="stable")]
    rows, columns = np.nonzero(np.abs(X) >= ZERO)
    area = np.clip(60_000 / X.size, 2, 40)
    dots = axes.scatter(columns, rows, c=X[rows, columns], s=area, cmap="coolwarm", norm=CenteredNorm(), edgecolors="none")
    axes.set(xlim=(-0.5, X.shape[1] - 0.5), ylim=(X.shape[0] - 0.5, -0.5), xlabel="column (sorted)", ylabel="row")
    axes.set_title(f"Entries of X, {100 * result.sparsity:.1f} % are zero")
    figure = axes.get_figure()
    if figure is not None:
        figure.colorbar(dots, ax=axes)
