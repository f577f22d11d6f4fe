"""What fails without each part of the adaptive method: draws docs/automatic.png and fills the table
of docs/automatic.md.

    python -m benchmarks.ablation

The instances are those of the robustness suite with a seed on which nothing was chosen, with the
same budget and the same count of gradients.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.instances import Instance, instances, tolerance
from benchmarks.robustness import BUDGET, Counter

import orthoprox as op
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.reproduce.table import markdown
from orthoprox.solvers import Adaptive

DOCS = Path(__file__).parents[1] / "docs"
PAGE, PICTURE = DOCS / "automatic.md", DOCS / "automatic.png"
ALL = "nothing"  # is left out

NEWTON = "Newton's method"
SEED = 2000  # nothing was chosen on it, and nothing else is reported from it

PARTS: dict[str, dict[str, Any]] = {  # the settings with which a part does nothing
    ALL: {},
    "falling curvature": {"decays": (1.0, 1.0)},
    "inertia": {"inertia": 0.0},
    "dual weights": {"weight": 1.0},
    "restart after divergence": {"near": inf},
    "second rule's numbers": {"margins": SETTINGS.margins[:1] * 2, "decays": SETTINGS.decays[:1] * 2},
    "stagnation monitor": {"slow": inf},
    NEWTON: {},
}


@dataclass(frozen=True)
class Run:
    """One run without one part."""

    part: str
    family: str
    instance: str
    converged: bool
    gradients: int
    kkt_error: float
    curve: tuple[tuple[float, float], ...]  # iterations and KKT error


def without(part: str) -> Adaptive:
    """Return the method without a part."""
    return Adaptive(newton=part != NEWTON, settings=replace(SETTINGS, **PARTS[part]))


def run(part: str, instance: Instance) -> Run:
    """Solve one instance without one part."""
    problem, X0 = instance.make()
    counter, tol = Counter(problem), tolerance(instance)

    def budget(now: op.Snapshot) -> None:
        if counter.count > BUDGET:
            raise StopIteration

    with np.errstate(all="ignore"):
        stop = op.stopping.Stationary(tol) | op.stopping.MaxIterations(BUDGET)
        result = op.solve(problem, without(part), X0, stop=stop, callback=budget)
    curve = tuple(zip(result.history["iteration"].tolist(), result.history["kkt_error"].tolist(), strict=True))
    converged = result.converged and counter.count <= BUDGET
    return Run(part, instance.family, instance.name, converged, counter.count, result.measurement.kkt_error, curve)


def table(runs: Sequence[Run]) -> str:
    """Return what each part is worth."""
    lines = []
    for part in PARTS:
        own = [row for row in runs if row.part == part]
        counts = [row.gradients if row.converged else float("inf") for row in own]
        lost = sorted({row.family for row in own if not row.converged})
        cells = [part, f"{sum(row.converged for row in own)}/{len(own)}", f"{median(counts):.0f}"]
        lines.append([*cells, f"{sorted(counts)[int(0.75 * len(counts))]:.0f}", ", ".join(lost) or "-"])
    return markdown(["left out", "converged", "median gradients", "75 % need at most", "families with a failure"], lines)


def example(runs: Sequence[Run], part: str) -> tuple[Run, Run]:
    """Return the run with everything and the one without the part, where leaving it out costs
    most.
    """
    full = {row.instance + row.family: row for row in runs if row.part == ALL}
    pairs = [(full[row.instance + row.family], row) for row in runs if row.part == part]
    solved = [pair for pair in pairs if pair[0].converged]
    return max(solved, key=lambda pair: (not pair[1].converged, pair[1].gradients / pair[0].gradients))


def draw(runs: Sequence[Run]) -> None:
    """Draw one panel for each part."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    parts = [part for part in PARTS if part != ALL]
    figure, axes = plt.subplots(2, 4, figsize=(18, 7), constrained_layout=True)
    for axis, part in zip(axes.flat[:-1], parts, strict=True):
        full, less = example(runs, part)
        for row, label, colour in ((full, "with", "tab:blue"), (less, "without", "tab:red")):
            axis.semilogy(*zip(*row.curve, strict=True), color=colour, label=label)
        axis.set_title(f"{part}\n{textwrap.fill(full.instance, 44)}", fontsize=9)
        axis.set_xlabel("iterations")
        axis.legend(fontsize=8)
    axis = axes.flat[-1]
    counts = [sum(row.converged for row in runs if row.part == part) for part in PARTS]
    bars = axis.barh(list(PARTS), counts, color=["tab:blue"] + ["tab:red"] * len(parts))
    axis.bar_label(bars, fontsize=8)
    axis.invert_yaxis()
    axis.set_title(f"what is left out, and how many of {len(runs) // len(PARTS)} converge", fontsize=9)
    axis.tick_params(axis="y", labelsize=8)
    for first in axes[:, 0]:
        first.set_ylabel("KKT error")
    figure.savefig(PICTURE, dpi=80)


def main() -> None:
    """Run everything, draw, and fill the table."""
    chosen = [instance for instance in instances("tuning", SEED) if instance.seed == SEED]
    todo = [(part, instance) for part in PARTS for instance in chosen]
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        runs = list(pool.map(run, *zip(*todo, strict=True), chunksize=4))
    draw(runs)
    filled = fill(PAGE.read_text(), table(runs))
    PAGE.write_text(filled)
    sys.stdout.write(table(runs) + "\n")


def fill(page: str, lines: str) -> str:
    """Put the table between its two marks."""
    marks = r"(<!-- ablation -->\n).*?(\n<!-- end -->)"
    replace: Callable[[re.Match[str]], str] = lambda found: found[1] + lines.rstrip() + found[2]  # noqa: E731
    return re.sub(marks, replace, page, flags=re.DOTALL)


if __name__ == "__main__":
    main()
