"""The robustness suite: does `minimize` work on anything, without a parameter? Writes
docs/robustness.md.

    python -m benchmarks.robustness [--part report|tuning] [--first SEED] [--jsonl FILE]
        [--family NAME] [--contender NAME]

Each instance of robustness.toml is solved by every contender from the same random start. All
gradient evaluations count: those of the set-up, of finite differences, of measurements and
certificates, of Newton's method and of line searches.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.instances import Instance, instances, tolerance

import orthoprox as op
from orthoprox.nonsmooth.separable import Separable
from orthoprox.paper.constants import CONSTANTS
from orthoprox.reproduce.table import markdown
from orthoprox.solvers import Solver

PAGE = Path(__file__).parents[1] / "docs" / "robustness.md"
BUDGET = 5000  # gradient evaluations
WORSE = 1e-6  # relative
PUBLISHED = ("five components", "random quadratic", "matching")  # the paper's own settings


def automatic(problem: op.Problem) -> Solver[Any]:
    """The default of minimize."""
    return op.solvers.Adaptive()


def safe(problem: op.Problem) -> Solver[Any]:
    """LSALM with its own rule for what is left open."""
    return op.LSALM()


def paper(problem: op.Problem) -> Solver[Any]:
    """LSALM with the constants of the paper's experiment that is most like the problem."""
    kind = {"Quadratic": "quadratic", "Matching": "matching"}.get(type(problem.smooth).__name__, "sparse_pca")
    if isinstance(problem.nonsmooth, Separable):
        return op.LSALM.paper(kind, problem)
    return op.LSALM(**CONSTANTS[kind](problem), Y0=0.0)  # the paper's box needs a separable g


CONTENDERS: dict[str, Callable[[op.Problem], Solver[Any]]] = {
    "adaptive": automatic,
    "adaptive, own function": automatic,
    "safe rule": safe,
    "paper's constants": paper,
}


@dataclass(frozen=True)
class Row:
    """What became of one run."""

    family: str
    instance: str
    contender: str
    status: str
    converged: bool  # to the tolerance, within the budget
    gradients: int
    iterations: int
    kkt_error: float
    start: float  # f(X0)
    objective: float  # f at the nearest feasible point
    message: str

    @property
    def worse(self) -> bool:
        """Whether the objective rose above that of the start."""
        return self.objective > self.start + WORSE * abs(self.start)


class Counter:
    """Counts the gradient evaluations of a smooth term, those inside others only once."""

    def __init__(self, problem: op.Problem) -> None:
        self.count, self._inside = 0, False
        for name in ("grad", "value_and_grad"):
            setattr(problem.smooth, name, self._counted(getattr(problem.smooth, name)))

    def _counted(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def counted(X: Any) -> Any:
            if self._inside:
                return function(X)
            self.count, self._inside = self.count + 1, True
            try:
                return function(X)
            finally:
                self._inside = False

        return counted


def run(instance: Instance, contender: str) -> Row:
    """Solve one instance."""
    problem, X0 = instance.make(own=contender.endswith("own function"))
    solver = CONTENDERS[contender](problem)
    start = float(problem.value(X0))
    counter = Counter(problem)

    def budget(now: op.Snapshot) -> None:
        if counter.count > BUDGET:
            raise StopIteration(f"The budget of {BUDGET} gradient evaluations is used up.")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        result = op.minimize(
            problem, X0, method=solver, tol=tolerance(instance), max_iterations=BUDGET, polish=False, callback=budget
        )
    return Row(
        family=instance.family,
        instance=instance.name,
        contender=contender,
        status=result.status.name,
        converged=result.converged and counter.count <= BUDGET,
        gradients=counter.count,
        iterations=result.iterations,
        kkt_error=result.measurement.kkt_error,
        start=start,
        objective=result.projected_objective if np.isfinite(start) else result.objective,
        message=result.message,
    )


def run_all(todo: Sequence[tuple[Instance, str]]) -> Iterable[Row]:
    """Solve instances on all cores; the order is kept."""
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, *zip(*todo, strict=True), chunksize=4)


def summary(rows: Sequence[Row]) -> list[str]:
    """Return converged, the median and the 90th percentile of the gradients, and the worst KKT
    error.
    """
    counts = sorted(row.gradients for row in rows if row.converged)
    ninety = counts[min(len(counts) - 1, int(0.9 * len(counts)))] if counts else 0
    worst = max((row.kkt_error if np.isfinite(row.kkt_error) else np.inf) for row in rows)
    return [
        f"{len(counts)}/{len(rows)}",
        f"{median(counts):.0f}" if counts else "-",
        f"{ninety}" if counts else "-",
        f"{worst:.0e}",
    ]


def table(rows: Sequence[Row]) -> str:
    """Return one line for each family, and one for all."""
    families = list(dict.fromkeys(row.family for row in rows))
    names = list(dict.fromkeys(row.contender for row in rows))
    header = ["family", *(f"{name}: {word}" for name in names for word in ("converged", "median", "p90", "worst"))]
    lines = [
        [
            family,
            *(
                cell
                for name in names
                for cell in summary([row for row in rows if row.family in kind and row.contender == name])
            ),
        ]
        for family, kind in [*((family, {family}) for family in families), ("**all**", set(families))]
    ]
    return markdown(header, lines)


def findings(rows: Sequence[Row]) -> str:
    """Return what the suite was made to find out, for the adaptive method."""
    own = [row for row in rows if row.contender == "adaptive"]
    bare = {(row.family, row.instance): row for row in rows if row.contender == "adaptive, own function"}
    if not own:
        return "The adaptive method did not run."
    counts = [row.gradients if row.converged else float("inf") for row in own]
    lines = [
        f"- {sum(row.converged for row in own)} of {len(own)} converge within {BUDGET} gradient evaluations "
        f"({100 * sum(row.converged for row in own) / len(own):.1f} %); the median over all is {median(counts):.0f}.",
        f"- Diverged: {sum(row.status == 'DIVERGED' for row in own)}. With a point worse than the start: "
        f"{sum(row.worse for row in own)}.",
    ]
    pairs = [(row, bare[row.family, row.instance]) for row in own if row.converged and bare]
    if pairs:
        ratios = sorted(other.gradients / row.gradients if other.converged else float("inf") for row, other in pairs)
        lines.append(
            f"- With l as a bare function instead of the built-in term: {median(ratios):.2f} times the gradients (median), "
            f"{ratios[int(0.9 * len(ratios))]:.2f} (90th percentile); {ratios.count(float('inf'))} converge no longer."
        )
    theirs = {(row.family, row.instance): row for row in rows if row.contender == "paper's constants" and row.converged}
    for family in PUBLISHED:
        mine = [row for row in own if row.converged and row.family == family and (family, row.instance) in theirs]
        if shares := [row.gradients / theirs[family, row.instance].gradients for row in mine]:
            lines.append(
                f"- {family}: {median(shares):.2f} times the gradients that the paper's constants need (median of the "
                f"{len(shares)} instances on which those converge); {max(shares):.2f} at most."
            )
    missed = [f"  - {row.family}, {row.instance}: {row.message}" for row in own if not row.converged]
    return "\n".join([*lines, *(["- Not converged:", *missed] if missed else [])])


def page(rows: Sequence[Row], part: str) -> str:
    """Return the page of a run."""
    return f"""\
# Robustness

Made by `make bench-robustness`; do not edit.

{len({(row.family, row.instance) for row in rows})} instances, generated from `benchmarks/robustness.toml` (seeds for
the {part}), each from a random start and to a relative certificate of 1e-5 (float32: 1e-4). A run has {BUDGET} gradient
evaluations, and all are counted: set-up, finite differences, measurements, certificates and Newton's method. `converged` is
within that budget, without polishing; `median` and `p90` are gradient evaluations of the runs that converged; `worst` is the
largest KKT error of all runs (stationarity, feasibility or distance to the certified point).

- `adaptive` is the default of `minimize`. `own function`: the same, with l given as a function and its gradient, without any
  constant.
- `safe rule` is LSALM with what it chooses for parameters that are left open.
- `paper's constants` is LSALM with the constants of the paper's experiment that is most like the problem.

## Findings

{findings(rows)}

## By family

{table(rows)}
"""


def main() -> None:
    """Run the suite as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["report", "tuning"], default="report", help="which seeds (default: report)")
    parser.add_argument("--first", type=int, metavar="SEED", help="as many seeds from this one on; the page is not written")
    parser.add_argument("--family", help="only this family; the page is not written")
    parser.add_argument("--contender", choices=list(CONTENDERS), help="only this contender; the page is not written")
    parser.add_argument("--jsonl", type=Path, metavar="FILE", help="write one line for each run to this file")
    options = parser.parse_args()
    chosen = [one for one in instances(options.part, options.first) if options.family in (None, one.family)]
    if not chosen:
        parser.error(f"no family is called {options.family!r}")
    todo = [(one, name) for name in CONTENDERS if options.contender in (None, name) for one in chosen]
    rows = list(run_all(todo))
    if options.jsonl:
        options.jsonl.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows))
    if options.part == "report" and options.first is options.family is options.contender is None:
        PAGE.write_text(page(rows, options.part))
    sys.stdout.write(page(rows, options.part))


if __name__ == "__main__":
    main()
