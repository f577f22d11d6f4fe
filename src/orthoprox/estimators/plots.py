"""Pictures: loadings of components, variance against nonzeros, matched points."""

from typing import Any

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('A plot needs matplotlib: pip install "orthoprox[plot]".') from error

Matrix = np.ndarray[Any, Any]
_MOST = 40  # variables that are shown: those with the largest loadings


def draw_components(components: Matrix, names: list[str], ratios: Matrix) -> Figure:
    """Return a figure with one panel of bars for each component; variables without a nonzero are
    left out.
    """
    sizes = np.max(np.abs(components), axis=0)
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST])
    shown = shown[sizes[shown] > 0]
    n = len(components)
    figure = Figure(figsize=(2.5 + 1.4 * n, 1.2 + 0.22 * len(shown)), layout="constrained")
    panels = figure.subplots(1, n, sharey=True, squeeze=False)[0]
    for j, axes in enumerate(panels):
        loadings = components[j, shown]
        axes.barh(range(len(shown)), loadings, color=np.where(loadings < 0, "tab:blue", "tab:red"))
        axes.axvline(0, color="black", linewidth=0.6)
        nonzeros = np.count_nonzero(components[j])
        axes.set(xlim=(-1.05, 1.05), title=f"{j}: {100 * ratios[j]:.1f} %", xlabel=f"{nonzeros} nonzero")
    panels[0].set_yticks(range(len(shown)), [names[i] for i in shown])
    panels[0].invert_yaxis()
    return figure


def draw_path(path: Any) -> Figure:
    """Return a figure with the explained and the adjusted variance against the nonzeros."""
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.subplots()
    order = np.argsort(path.n_nonzeros)
    k = path.n_nonzeros[order]
    axes.axhline(100 * path.pca, color="black", linestyle=":", label="PCA")
    axes.plot(k, 100 * path.explained_variance_ratio[order], marker="o", label="explained")
    axes.plot(k, 100 * path.adjusted_variance_ratio[order], marker=".", linestyle="--", label="adjusted")
    axes.set(xlabel="nonzeros", ylabel="variance in %")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    return figure


def draw_match(match: Any) -> Figure:
    """Return a figure with both graphs, each in its own units, and a line for each pair."""
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    first, second = _framed(match.points1), _framed(match.points2)
    second[:, 0] += 1.15 * np.ptp(first[:, 0]) + 0.1
    for points, edges in ((first, match.edges1), (second, match.edges2)):
        axes.plot(*np.transpose(points[edges], (2, 1, 0)), color="0.75", linewidth=0.7, zorder=1)
    for place, (i, j) in enumerate(match.pairs):
        ends = np.stack([first[i], second[j]])
        axes.plot(ends[:, 0], ends[:, 1], color=f"C{place % 10}", linewidth=0.9, alpha=0.7, zorder=2)
    for points in (first, second):
        axes.scatter(points[:, 0], points[:, 1], s=18, color="black", zorder=3)
    axes.set_title(f"{len(match.pairs)} pairs, score {match.score:.3f}")
    axes.set_aspect("equal")
    axes.set_axis_off()
    return figure


def _framed(points: Matrix) -> Matrix:
    """Return points moved and scaled to height 1, or width 1 where they are wider."""
    low = np.min(points, axis=0)
    framed: Matrix = (points - low) / np.max(np.ptp(points, axis=0))
    return framed
