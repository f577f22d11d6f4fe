"""Draws docs/wine.png, the picture of the README: the loadings of the wines and what they explain.

Run it as ``python -m docs.picture``.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

from orthoprox import SparsePCA

PICTURE = Path(__file__).with_name("wine.png")
COLOURS = "PuOr"  # orange to purple, which colour-blind readers can tell apart; each cell has its number, too
COMPONENTS, NONZEROS = 4, 20
ALONG = range(4, 53, 4)  # nonzeros of the curve


def draw() -> Figure:
    """Return the figure: principal components, sparse ones, variance against nonzeros."""
    wine = load_wine(as_frame=True).data
    names = [name.replace("od280/od315_of_diluted_wines", "od280/od315") for name in wine.columns]
    standard = (wine - wine.mean()) / wine.std()
    dense = PCA(COMPONENTS, svd_solver="full").fit(standard)
    sparse = SparsePCA(COMPONENTS, n_nonzero=NONZEROS, scale=True).fit(wine)
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.15])
    for axes, kind, pca in ((left, "PCA", dense), (middle, "SparsePCA", sparse)):
        loadings, ratios = signed(pca.components_), pca.explained_variance_ratio_
        heat_map(axes, loadings, ratios)
        number = np.count_nonzero(loadings)
        axes.set_title(f"{kind}: {number} loadings,\n{100 * ratios.sum():.1f} % of the variance", fontsize=11)
    left.set_yticks(range(len(names)), names)
    middle.set_yticks([])
    curve(right, sparse.path(wine, n_nonzeros=list(ALONG)))
    return figure


def signed(components: Any) -> Any:
    """Return components whose largest loadings are positive."""
    largest = np.argmax(np.abs(components), axis=1)
    return components * np.sign(components[np.arange(len(components)), largest])[:, None]


def heat_map(axes: Any, components: Any, ratios: Any) -> None:
    """Draw loadings as coloured cells with their numbers; zeros stay empty."""
    shown = np.where(components == 0, np.nan, components).T
    axes.imshow(shown, cmap=COLOURS, vmin=-0.9, vmax=0.9, aspect="auto")
    for (i, j), loading in np.ndenumerate(shown):
        if not np.isnan(loading):
            colour = "white" if loading > 0.5 or loading < -0.75 else "black"
            axes.text(j, i, f"{loading:+.2f}", ha="center", va="center", fontsize=8.5, color=colour)
    axes.set_xticks(range(len(ratios)), [f"{j}\n{100 * ratio:.1f} %" for j, ratio in enumerate(ratios, 1)])
    axes.set_xticks(np.arange(len(ratios) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(shown) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="0.85", linewidth=0.8)
    axes.tick_params(which="both", length=0)
    axes.set_xlabel("component, share of the variance")
    axes.spines[:].set_visible(False)


def curve(axes: Any, path: Any) -> None:
    """Draw the explained variance against the nonzeros, with that of PCA as reference."""
    shares = 100 * path.explained_variance_ratio
    axes.axhline(100 * path.pca, color="black", linestyle=":", linewidth=1.2)
    axes.text(ALONG[0], 100 * path.pca + 0.8, f"PCA, all {ALONG[-1]} loadings: {100 * path.pca:.1f} %", fontsize=9)
    axes.plot(path.n_nonzeros, shares, color="#542788", marker="o", markersize=4.5)
    found = shares[list(path.n_nonzeros).index(NONZEROS)]
    axes.plot(NONZEROS, found, color="#b35806", marker="D", markersize=9, linestyle="none")
    where = {"xytext": (NONZEROS + 3, found - 9), "arrowprops": {"arrowstyle": "-", "color": "0.4", "shrinkB": 6}}
    axes.annotate(f"{NONZEROS} loadings: {found:.1f} %", (NONZEROS, found), fontsize=9, **where)
    axes.set_title(f"Variance that {COMPONENTS} components\nexplain, in %", fontsize=11)
    axes.set(xlabel="nonzero loadings", ylim=(min(shares) - 3, 78))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    draw().savefig(PICTURE, dpi=115, facecolor="white", metadata={"Software": None})
