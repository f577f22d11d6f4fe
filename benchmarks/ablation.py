"""What fails without each part of the adaptive method: draws docs/automatic.png and fills the table
of docs/automatic.md.

    python -m benchmarks.ablation

The instances are those of the robustness suite with seed 0, with the same budget and the same count
of gradients.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np
from benchmarks.instances import Instance, instances, tolerance
from benchmarks.robustness import BUDGET, Counter

import orthoprox as op
from orthoprox._adaptive import first_order, parameter_rules, stagnation, working_set, workspace
from orthoprox.reproduce.table import markdown
from orthoprox.solvers import Adaptive

DOCS = Path(__file__).parents[1] / "docs"
PAGE, PICTURE = DOCS / "automatic.md", DOCS / "automatic.png"
ALL = "nothing"  # is left out

PARTS: dict[str, dict[tuple[object, str], object]] = {
    ALL: {},
    "measured curvature": {(parameter_rules, "next_curvature"): lambda problem, c, *_: c},
    "penalty threshold": {(module, "penalty_threshold"): lambda *_: 0.0 for module in (workspace, first_order, working_set)},
    "inertia": {(parameter_rules, "inertia"): lambda *_: (1.0, 0.0)},
    "coherence restart": {(first_order, "_COHERENT"): float("inf")},
    "dual weights": {(parameter_rules, "dual_weights"): lambda *_: None},
    "restart after divergence": {(workspace, "divergence_test"): lambda *_: (False, False)},
    "conservative step rules": {(module, "STEP_RULES"): 3 * stagnation.STEP_RULES[:1] for module in (stagnation, first_order)},
    "Newton's method": {},
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


@contextmanager
def without(part: str) -> Iterator[Adaptive]:
    """Leave a part of the method out."""
    with ExitStack() as stack:
        for (module, name), value in PARTS[part].items():
            stack.enter_context(patch.object(module, name, value))
        yield Adaptive(newton=part != "Newton's method")


def run(part: str, instance: Instance) -> Run:
    """Solve one instance without one part."""
    problem, X0 = instance.make()
    counter, tol = Counter(problem), tolerance(instance)

    def budget(now: op.Snapshot) -> None:
        if counter.count > BUDGET:
            raise StopIteration

    with without(part) as solver, np.errstate(all="ignore"):
        stop = op.stopping.Stationary(tol) | op.stopping.MaxIterations(BUDGET)
        result = op.solve(problem, solver, X0, stop=stop, callback=budget)
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
    figure, axes = plt.subplots(3, 3, figsize=(13.5, 9.5), constrained_layout=True)
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
    chosen = [instance for instance in instances("tuning") if instance.seed == 0]
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
