"""Does a call end when its time is over? Runs with budgets, over all methods, starts and slow
functions, in a table.

    python -m benchmarks.promises.budgets [--runs K] [--first SEED]

A call may take its budget, 10 % and .1 s more, and three times its longest indivisible operation:
one call of a function of the user's, or one factorisation or product of the size of the problem. It
is measured on the same problem before the call.
"""

import argparse
import sys
import warnings
from dataclasses import dataclass
from time import perf_counter, sleep
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox.reproduce.table import markdown
from orthoprox.solvers.base import SMOOTH

KINDS = ("plain", "slow gradient", "slow value", "slow prox", "large")
SHAPES = {"plain": (100, 20), "large": (1200, 600)}


@dataclass(frozen=True)
class Trial:
    """One call with a budget."""

    kind: str
    method: str
    start: str
    n_starts: int
    budget: float
    delay: float  # of the slow function
    seed: int


@dataclass(frozen=True)
class Outcome:
    """What it took, and what it was allowed to take."""

    trial: Trial
    seconds: float
    operation: float  # the longest indivisible one
    status: str
    feasible: bool

    @property
    def allowed(self) -> float:
        """The longest time that keeps the promise."""
        return 1.1 * self.trial.budget + 0.1 + 3 * self.operation


class Slow:
    """A function that takes some time more."""

    def __init__(self, function: Any, delay: float) -> None:
        self.function, self.delay = function, delay

    def __call__(self, *arguments: Any) -> Any:
        sleep(self.delay)
        return self.function(*arguments)


def trials(number: int, first: int) -> list[Trial]:
    """Return trials drawn at random; every method and every kind comes in turn."""
    methods, chosen = sorted(op.SOLVERS), []
    for k in range(number):
        rng = np.random.default_rng(first + k)
        kind, method = KINDS[k % len(KINDS)], methods[(k // len(KINDS)) % len(methods)]
        start = str(rng.choice(["auto", "random", "pca", "coordinates", "smoothed"]))
        several = 3 if kind != "large" and rng.random() < 0.2 else 1
        budget = float(np.exp(rng.uniform(np.log(0.02), np.log(2.0))))
        delay = 0.0 if kind in SHAPES else float(rng.choice([0.005, 0.02, 0.2]))
        chosen.append(Trial(kind, method, start, several, budget, delay, first + k))
    return chosen


def problem(trial: Trial) -> op.Problem:
    """Return sparse PCA with a function that is slow, or a large one."""
    m, n = SHAPES.get(trial.kind, (40, 4))
    rng = np.random.default_rng(trial.seed)
    smooth_only = SMOOTH in op.SOLVERS[trial.method]().needs
    ell = op.smooth.Variance(rng.standard_normal((2 * m, m)) / m**0.5)
    g = op.nonsmooth.Zero() if smooth_only else op.nonsmooth.L1(0.1)
    if trial.kind in ("slow gradient", "slow value"):
        slow = {"value": ell.value, "grad": ell.grad}
        name = "grad" if trial.kind == "slow gradient" else "value"
        slow[name] = Slow(slow[name], trial.delay)
        return op.Problem(op.smooth.Function(slow["value"], slow["grad"]), g, (m, n))
    if trial.kind == "slow prox" and not smooth_only:
        g.prox = Slow(g.prox, trial.delay)
    return op.Problem(ell, g, (m, n))


def longest(trial: Trial, what: op.Problem) -> float:
    """Return the seconds of the longest indivisible operation."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal(what.shape)
    begin = perf_counter()
    if trial.kind == "large":
        np.linalg.svd(X, full_matrices=False)
        took = perf_counter() - begin
        begin = perf_counter()
        np.linalg.eigh(what.smooth.hessian)
        return max(took, perf_counter() - begin)
    return trial.delay


def run(trial: Trial) -> Outcome:
    """Make the call."""
    what = problem(trial)
    operation = longest(trial, what)
    options: dict[str, Any] = {"method": trial.method, "n_starts": trial.n_starts, "max_seconds": trial.budget}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        begin = perf_counter()
        result = op.minimize(what, trial.start, seed=trial.seed, **options)
        seconds = perf_counter() - begin
    return Outcome(trial, seconds, operation, result.status.name, bool(np.all(np.isfinite(result.X))))


def table(outcomes: list[Outcome]) -> str:
    """Return one row for each kind."""
    rows = []
    for kind in KINDS:
        some = [one for one in outcomes if one.trial.kind == kind]
        late = [one.seconds - one.trial.budget for one in some]
        rows.append(
            [
                kind,
                str(len(some)),
                f"{np.median(late):.3f}",
                f"{max(late):.3f}",
                f"{max((one.seconds - one.trial.budget) / (one.allowed - one.trial.budget) for one in some):.2f}",
                str(sum(one.seconds > one.allowed for one in some)),
            ]
        )
    header = ["kind", "calls", "median seconds late", "most", "most, as a share of what is allowed", "too late"]
    return markdown(header, rows)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, metavar="K")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    options = parser.parse_args()
    outcomes = []
    for trial in trials(options.runs, options.first):
        outcomes.append(run(trial))
        one = outcomes[-1]
        if one.seconds > one.allowed or not one.feasible:
            print(f"{one.seconds:.2f} s of {one.allowed:.2f} allowed: {trial}, {one.status}", file=sys.stderr, flush=True)
    print(table(outcomes))


if __name__ == "__main__":
    main()
