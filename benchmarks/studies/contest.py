"""Whole calls of minimize against other packages and methods, each from a random start and from the
start that we find.
"""

import warnings
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import numpy as np
from benchmarks.studies.target import Target, at_least
from benchmarks.studies.task import Row, Task, settings
from benchmarks.studies.timing import warm_up

import orthoprox as op
from benchmarks.peers import run as peers
from orthoprox._arrays.library import Array
from orthoprox.reproduce.table import markdown
from orthoprox.starts.search import search

OURS = "minimize"
TOLERANCE, MOST = 1e-5, 3000  # of our other methods: the certificate and the iterations
Peer = tuple[str, str]  # who, and from which start


def run(task: Task) -> list[Row]:
    """Solve one problem in all ways."""
    warm_up()
    problem, random = task.make()
    rows = [_row(OURS, "ours", _ours(problem))]
    for start, X0 in (("random", random), ("ours", search(problem, np.random.default_rng(0))[0])):
        rows += [_row(name, start, solved_by(problem, name, X0)) for name in task.common["methods"]]
        rows += [_package(problem, name, start, X0, task) for name in task.common["packages"]]
    return rows


def _ours(problem: op.Problem) -> op.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        return op.minimize(problem, history=False)


def solved_by(problem: op.Problem, name: str, X0: Array) -> op.Result:
    """Return what another method of ours finds from X0."""
    budget = {"tol": TOLERANCE, "max_iterations": MOST, "polish": False, "history": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        return op.minimize(problem, X0, method=name, **budget)


def _row(who: str, start: str, result: op.Result) -> Row:
    return {
        "who": who,
        "start": start,
        "objective": result.projected_objective,
        "seconds": result.seconds,
        "note": result.status.name,
        "error": "",
    }


def _package(problem: op.Problem, name: str, start: str, X0: Array, task: Task) -> Row:
    mu, n = task.settings["penalty"]["mu"], problem.shape[1]
    outcome = peers.solve(name, problem.smooth.A, n, mu, X0, timeout=task.common["timeout"])
    objective = None if outcome.X is None else float(problem.value(op.stiefel.polar(outcome.X)))
    seconds = None if outcome.X is None else outcome.seconds
    error = outcome.error.strip().splitlines()[-1] if outcome.error else ""
    return {
        "who": name,
        "start": start,
        "objective": objective,
        "seconds": seconds,
        "note": outcome.note,
        "error": error,
    }


def pairs(rows: Sequence[Row], peer: Peer) -> Iterator[tuple[Row, Row]]:
    """Yield our row and the peer's, for each problem that the peer solved."""
    ours = {(row["case"], row["seed"]): row for row in rows if row["who"] == OURS}
    for row in rows:
        if (row["who"], row["start"]) == peer and row["objective"] is not None:
            yield ours[row["case"], row["seed"]], row


def contenders(rows: Sequence[Row]) -> list[Peer]:
    """Return the peers with their starts, in the order in which they come."""
    return list(dict.fromkeys((row["who"], row["start"]) for row in rows if row["who"] != OURS))


def gap(ours: Row, theirs: Row) -> float:
    """Return by what share the peer's objective is above ours."""
    return float((theirs["objective"] - ours["objective"]) / abs(theirs["objective"]))


def gaps(rows: Sequence[Row], peer: Peer) -> list[float]:
    """Return the gap to a peer for each problem."""
    return [gap(*pair) for pair in pairs(rows, peer)]


def beaten(rows: Sequence[Row], *peers: Peer) -> int:
    """Return on how many problems one of the peers beats us: ours - theirs > 1e-4 |theirs|."""
    worse = settings()["worse"]
    won = [pair for peer in peers for pair in pairs(rows, peer) if gap(*pair) < -worse]
    return len({(ours["case"], ours["seed"]) for ours, _ in won})


def lost(rows: Sequence[Row]) -> int:
    """Return on how many problems any of the peers beats us."""
    return beaten(rows, *contenders(rows))


def faster(rows: Sequence[Row], peer: Peer) -> float:
    """Return how many times faster than the peer we are, the median over the problems."""
    return median(theirs["seconds"] / ours["seconds"] for ours, theirs in pairs(rows, peer))


def table(rows: Sequence[Row]) -> str:
    """Return one line for each peer and start, for each case."""
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if row["case"] == case]
        mine = [row for row in own if row["who"] == OURS]
        middle = median(row["seconds"] for row in mine)
        lines.append([case, f"**{OURS}**", "ours", "", "", "", f"{middle:.2f}", "", ""])
        lines += [_line(own, peer, len(mine)) for peer in contenders(own)]
    header = ["data", "who", "start", "gap, median", "gap, least", "beats us", "seconds", "times ours", "failed"]
    return markdown(header, lines)


def _line(rows: Sequence[Row], peer: Peer, number: int) -> list[str]:
    shares = [100 * share for share in gaps(rows, peer)]
    if not shares:
        return ["", *peer, "-", "-", "-", "-", "-", f"{number}"]
    seconds = median(theirs["seconds"] for _, theirs in pairs(rows, peer))
    return [
        "",
        *peer,
        f"{median(shares):.2f} %",
        f"{min(shares):.2f} %",
        f"{beaten(rows, peer)} of {number}",
        f"{seconds:.2f}",
        f"{faster(rows, peer):.1f}",
        f"{number - len(shares)}" if len(shares) < number else "",
    ]


def speed_targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return the targets of the study with one package: how much faster from both starts, and how
    often beaten.
    """
    found, number = [], solved(rows)
    for who, start in contenders(rows):
        label = f"{who} from {'a random' if start == 'random' else 'our'} start"
        count = beaten(rows, (who, start))
        found.append(at_least(f"times faster than {label}", wanted["pymanopt"], faster(rows, (who, start))))
        allowed = f"at most {100 * wanted['lost']:.0f} % of seeds"
        found.append(Target(f"beaten by {label}", allowed, f"{count} of {number}", count <= wanted["lost"] * number))
    return found


def quality_targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return the target of the families: on how many at most a tenth of the seeds are lost to any
    of the peers.
    """
    parts = {case: [row for row in rows if row["case"] == case] for case in dict.fromkeys(row["case"] for row in rows)}
    good = sum(lost(own) <= wanted["lost"] * solved(own) for own in parts.values())
    counts = ", ".join(f"{case}: {lost(own)} of {solved(own)}" for case, own in parts.items())
    claim = f"families on which at most {100 * wanted['lost']:.0f} % of seeds are lost to any of the peers; seeds lost"
    return [Target(claim, f">= {wanted['families']}", f"{good} of {len(parts)}; {counts}", good >= wanted["families"])]


def solved(rows: Sequence[Row]) -> int:
    """Return how many problems we solved."""
    return sum(row["who"] == OURS for row in rows)
