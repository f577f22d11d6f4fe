"""No strawman: the time of one iteration over the time of the bare operations of which it consists,
for every method.

    python -m benchmarks.solvers [--json FILE]

What an iteration consists of is read off the registry, ``facts.work``. Subproblems, as of ManPG,
are counted as they go: each evaluation of the prox or of its derivative beyond ``facts.work``
stands for one product XS and one X'W as well. So are the gradients and projections of Newton's
equations, the gradients of a safeguard, and further retractions, which the registry tells in its
remarks. ``gram`` is timed as X'X, for which BLAS needs as little as half the time of a general X'W.
A ratio near 1 belongs to an iteration that does nothing else. Times are CPU times, medians over the
repetitions.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, median_low
from time import process_time
from typing import Any

import orthoprox as op
from orthoprox._arrays.library import Array
from orthoprox._linalg.stiefel import polar
from orthoprox.nonsmooth import L1
from orthoprox.reproduce.table import markdown
from orthoprox.solvers import ALMSSN, RPG, RPNCG, AManPG, Solver

SHAPES = [(300, 150), (400, 20)]
MU = 0.5
WARM_UP, REPETITIONS = 20, 40
ENOUGH = 2.0  # seconds of iterations after which a slow method needs no further repetition


class CountedL1(L1):
    """The l1 norm, counting the evaluations of its prox and of the derivative of its prox."""

    calls = 0

    def prox(self, X: Array, t: Array) -> Array:
        """Return the prox."""
        self.calls += 1
        return super().prox(X, t)

    def prox_derivative(self, X: Array, t: Array) -> Callable[[Array], Array]:
        """Return the derivative of the prox; a stack of directions V counts with each of them."""
        derivative = super().prox_derivative(X, t)

        def counted(V: Array) -> Array:
            self.calls += 1 if V.ndim == 2 else V.shape[0]
            return derivative(V)

        return counted


@dataclass(frozen=True)
class Row:
    """What was measured for one method."""

    method: str
    shape: tuple[int, int]
    iteration: float  # milliseconds
    bare: float  # milliseconds
    ratio: float
    work: dict[str, int]  # the operations of the iteration with the median time


def measure(name: str, shape: tuple[int, int], *, warm_up: int = WARM_UP, repetitions: int = REPETITIONS) -> Row:
    """Time a method on sparse PCA; without the l1 norm, if it needs a smooth objective."""
    solver, (m, n) = op.SOLVERS[name](), shape
    g = CountedL1(MU if solver.facts.nonsmooth else 0.0)
    problem = op.Problem(op.smooth.Variance(op.datasets.five_components(1000, m)), g, shape)
    state = solver.init(problem, op.stiefel.random_point(m, n))
    for _ in range(warm_up):
        state = solver.step(problem, state)

    smooth, c = problem.smooth, 4 * problem.smooth.lipschitz
    solve = smooth.resolvents()(c) if solver.facts.per == "cycle" else smooth.resolvent(c)  # for one c, or for many
    iterations: list[float] = []
    bare: list[float] = []
    works: list[dict[str, int]] = []
    while len(iterations) < repetitions and sum(iterations) < ENOUGH:
        old, calls = state, g.calls
        seconds, state = timed(solver.step, problem, old)
        iterations.append(seconds)
        works.append(count(solver, state, g.calls - calls))
        # halfway between two iterates: with X'X = I exactly, the eigenvalues in the polar factor
        # would come too easily
        halfway = (solver.output(old) + solver.output(state)) / 2
        bare_operations = operations(problem, solve, halfway)
        bare.append(sum(number * timed(bare_operations[operation])[0] for operation, number in works[-1].items()))
    ratio = median(step / least for step, least in zip(iterations, bare, strict=True))
    typical = works[iterations.index(median_low(iterations))]
    return Row(name, shape, 1e3 * median(iterations), 1e3 * median(bare), ratio, typical)


def count(solver: Solver[Any], state: Any, calls: int) -> dict[str, int]:
    """Return the work of the iteration that led to ``state`` and evaluated the prox or its
    derivative ``calls`` times.
    """
    facts = solver.facts
    rounds = 1 if facts.per == "iteration" else getattr(state, f"{facts.per}s")
    more = further(solver, state)
    work = {name: rounds * facts.work.get(name, 0) + more.get(name, 0) for name in facts.work | more}
    inner = calls - work.get("prox", 0)
    subproblem = {name: work.get(name, 0) + inner for name in ("prox", "gram", "right")}
    return work | subproblem if inner else work


def further(solver: Solver[Any], state: Any) -> dict[str, int]:
    """Return what the last iteration did beyond its rounds, not counting proxes, for the methods
    whose remarks say so.
    """
    match solver:
        case ALMSSN():
            return {"gradient": state.products}
        case RPNCG():
            newton = state.newton
            return {"gradient": newton.products, "gram": newton.projections, "right": newton.projections + newton.products}
        case RPG():
            return {"polar": state.work.retractions - state.trials}
        case AManPG() if state.trials:  # a safeguard evaluates X, and the trials of ManPG; after a restart Y needs nothing
            restarted = state.s == 1
            return {"gradient": 1 + state.trials - restarted, "polar": state.trials - restarted}
        case AManPG() if state.Y is state.X:
            return {"polar": -1}
    return {}


def operations(problem: op.Problem, solve: Callable[[Array], Array], X: Array) -> dict[str, Callable[[], Array]]:
    """Return the operations that ``facts.work`` counts."""
    S = X.mT @ X
    return {
        "gradient": lambda: problem.smooth.grad(X),
        "prox": lambda: problem.nonsmooth.prox(X, 1.0),
        "polar": lambda: polar(X),
        "resolvent": lambda: solve(X),
        "gram": lambda: X.mT @ X,
        "right": lambda: X @ S,
    }


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and its value."""
    start = process_time()
    value = function(*arguments)
    return process_time() - start, value


def report(rows: list[Row]) -> str:
    """Return the table of what was measured."""
    header = ["method", "shape", "ms/iteration", "ms bare", "ratio", "the operations of an iteration"]
    return markdown(header, map(cells, rows))


def cells(row: Row) -> list[str]:
    """Return one line of the table."""
    work = ", ".join(f"{number} {name}" for name, number in row.work.items())
    return [row.method, str(row.shape), f"{row.iteration:.3f}", f"{row.bare:.3f}", f"{row.ratio:.2f}", work]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file as well")
    options = parser.parse_args()
    rows = [measure(name, shape) for shape in SHAPES for name in op.SOLVERS]
    sys.stdout.write(report(rows) + "\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
