"""The pictures of the benchmark, drawn from the rows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.studies.page import PICTURES, ordered
from benchmarks.studies.rows import Rows
from benchmarks.studies.task import Row

from benchmarks.studies import contest, growth, headline

COLOURS = {"random": "tab:blue", "ours": "tab:orange"}
NAMES = {"random": "from a random start", "ours": "from our start"}


def draw(kept: Rows, folder: Path) -> None:
    """Draw every study that has rows and a picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    drawings: dict[str, Callable[[Any, Sequence[Row]], Any]] = {"headline": times, "families": gaps, "growth": lines}
    for study, name in PICTURES.items():
        if rows := ordered(kept.of(study), study):
            figure = drawings[study](plt, rows)
            figure.savefig(folder / name, dpi=90)
            plt.close(figure)


def times(plt: Any, rows: Sequence[Row]) -> Any:
    """Draw the times of LSALM, of the same start and of the whole call: medians as bars, seeds as
    dots.
    """
    figure, axis = plt.subplots(figsize=(9, 2.6), constrained_layout=True)
    for k, (who, name) in enumerate(headline.WHO.items()):
        seconds = [row[headline.clock(who)] for row in rows if row["who"] == who]
        label = f" {median(seconds):.1f} s" + ("" if who == "lsalm" else f", 1/{median(headline.ratios(rows, who)):.0f}")
        axis.barh(name, median(seconds), color=["tab:gray", "tab:blue", "tab:orange"][k])
        axis.text(max(seconds), k, " " + label, va="center")
        axis.plot(seconds, [k] * len(seconds), "k.", markersize=4)
    axis.invert_yaxis()
    axis.set_xlim(right=1.15 * max(row["run_seconds"] for row in rows))
    axis.set_xlabel(f"seconds, {rows[0]['case']}")
    axis.spines[["top", "right"]].set_visible(False)
    return figure


def gaps(plt: Any, rows: Sequence[Row]) -> Any:
    """Draw each peer's objective over ours, in per cent: one panel for each family, one dot for
    each seed.
    """
    cases = list(dict.fromkeys(row["case"] for row in rows))
    peers = sorted({row["who"] for row in rows if row["who"] != contest.OURS})
    figure, axes = plt.subplots(2, 3, figsize=(12, 6.5), sharey=True, constrained_layout=True)
    for axis, case in zip(axes.flat, cases, strict=False):
        own = [row for row in rows if row["case"] == case]
        for k, who in enumerate(peers):
            for start, shift in (("random", -0.15), ("ours", 0.15)):
                shares = [100 * gap for gap in contest.gaps(own, (who, start))]
                height = [k + shift] * len(shares)
                label = NAMES[start] if k == 0 else None
                axis.plot(shares, height, "o", color=COLOURS[start], markersize=5, alpha=0.55, markeredgewidth=0, label=label)
        axis.axvline(0, color="black", linewidth=0.8)
        axis.set_xscale("symlog", linthresh=0.1)
        axis.set_xticks([-10, -1, -0.1, 0, 0.1, 1, 10, 100], ["-10", "-1", "-.1", "0", ".1", "1", "10", "100"], fontsize=8)
        low = min(100 * min(contest.gaps(own, peer), default=0.0) for peer in contest.contenders(own))
        high = max(100 * max(contest.gaps(own, peer), default=0.0) for peer in contest.contenders(own))
        axis.set_xlim(min(-0.3, 2 * low), max(0.3, 2 * high))
        axis.set_title(case, fontsize=10)
        axis.grid(axis="x", alpha=0.25)
    for axis in axes.flat[len(cases) :]:
        axis.set_visible(False)
    axes[0, 0].set_yticks(range(len(peers)), peers)
    axes[0, 0].invert_yaxis()
    figure.supxlabel("objective above ours, in % (left of 0: below ours)", fontsize=10)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2, fontsize=9, frameon=False)
    return figure


def lines(plt: Any, rows: Sequence[Row]) -> Any:
    """Draw time and memory over each size, with the fitted lines."""
    names = growth.names(rows)
    figure, axes = plt.subplots(2, len(names), figsize=(3.8 * len(names), 6), constrained_layout=True, squeeze=False)
    for column, name in enumerate(names):
        vary = next(row["vary"] for row in rows if row["series"] == name)
        for axis, (measure, label) in zip(axes[:, column], growth.MEASURES.items(), strict=True):
            sizes, values = growth.series(rows, name, measure)
            slope, factor = growth.exponent(sizes, values)
            axis.loglog(sizes, factor * np.array(sizes, float) ** slope, color="tab:gray", label=f"~ {vary}^{slope:.2f}")
            axis.loglog(sizes, values, "o", color="tab:blue")
            axis.set_xticks(sizes, [f"{size}" for size in sizes])
            axis.minorticks_off()
            axis.set_xlabel(vary)
            axis.legend(fontsize=9)
            axis.grid(alpha=0.25)
            if column == 0:
                axis.set_ylabel(label)
        axes[0, column].set_title(name, fontsize=10)
    return figure
