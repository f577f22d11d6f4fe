"""Every table and figure of the paper: what is missing is run, and all that is there becomes one report."""

import platform
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import orthoprox
from orthoprox import _inputs
from orthoprox.datasets import cmu_house
from orthoprox.experiments import report
from orthoprox.experiments.bar import Bar
from orthoprox.experiments.condition import Condition
from orthoprox.experiments.ledger import Ledger, Row, State
from orthoprox.experiments.section import Section
from orthoprox.experiments.sections import SECTIONS
from orthoprox.experiments.spec import Run, Spec, load, names
from orthoprox.experiments.study import Outcome
from orthoprox.experiments.table import markdown
from orthoprox.experiments.workers import Task, tasks, work

_STAND_IN = "synthetic_house"


@dataclass(frozen=True)
class Item:
    """One table or figure, with its rows."""

    spec: Spec
    runs: list[Run]
    ledger: Ledger
    remarks: tuple[str, ...] = ()  # on its data

    def states(self) -> Counter[State]:
        """Return how many runs are done, stale and missing."""
        return Counter(map(self.ledger.state, self.runs))


def items(out: Path, *, quick: bool = False) -> dict[str, Item]:
    """Return all tables and figures by their ids, with the rows that lie in a folder."""
    found: dict[str, Item] = {}
    for name in names():
        spec, remarks = _with_data(load(name, quick=quick))
        source = spec.uses or name
        if spec.uses:
            found[name] = replace(found[source], spec=spec)
        else:
            found[name] = Item(spec, spec.runs(), Ledger(out / "rows" / f"{name}.jsonl"), remarks)
    return found


def reproduce(
    ids: Sequence[str] = (),
    *,
    quick: bool = False,
    out: str | Path = "reproduction",
    keep: bool = False,
    where: Sequence[str] = (),
    run: bool = True,
) -> Path:
    """Run what is missing, write the report, and return the path of its page.

    Runs are executed in processes of their own; in a script, call this under ``if __name__ == "__main__":``.

    Parameters
    ----------
    ids : sequence of str
        The tables and figures to run, all of them by default. The report shows all that have rows.
    quick : bool
        Whether to run everything at a reduced size.
    out : path
        The folder of the rows, tables, figures and the page. Rows that are there are not computed again.
    keep : bool
        Whether to keep rows that were made by other code, instead of running them again.
    where : sequence of str
        Conditions such as "m <= 500" or "seed < 3", to run a part only.
    run : bool
        Whether to run anything; otherwise the report is written from the rows that are there.
    """
    out = Path(out)
    known = items(out, quick=quick)
    conditions = [Condition.parse(text) for text in where]
    chosen = [known[_inputs.choice(name, "The id", known)] for name in ids or known]
    if run:
        _run(chosen, conditions, keep)
    sections = [section(item, quick=quick) for item in known.values() if any(item.ledger.rows(item.runs))]
    title = "LSALM's experiments, reproduced" + (" at reduced size" if quick else "")
    remarks = [
        "Reduced size: problems, grids and budgets are far smaller than the paper's, so numbers are not comparable with it."
    ]
    return report.write(out, sections, title=title, remarks=remarks if quick else [], facts=_facts())


def listing(out: Path, *, quick: bool = False) -> str:
    """Return the table of what can be made, and what of it is done."""
    lines = []
    for name, item in items(out, quick=quick).items():
        states = item.states()
        counts = [str(states[state]) for state in (State.DONE, State.STALE, State.MISSING)]
        runs = ["", "", "", ""] if item.spec.uses else [str(len(item.runs)), *counts]
        note = f"; drawn from {item.spec.uses}" if item.spec.uses else ""
        lines.append([name, item.spec.reference, *runs, item.spec.title + note])
    return markdown(["id", "in the paper", "runs", "done", "stale", "missing", "content"], lines)


def section(item: Item, *, quick: bool) -> Section:
    """Return what the report says about one table or figure."""
    rows = item.ledger.rows(item.runs)
    made = SECTIONS[item.spec.id](item.spec, rows, quick)
    return replace(made, remarks=(*item.remarks, *made.remarks, *_account(item, rows)))


def _run(chosen: list[Item], conditions: list[Condition], keep: bool) -> None:
    """Execute the runs that are missing, or stale unless they are kept."""
    done = {State.DONE, State.STALE} if keep else {State.DONE}
    homes: dict[str, Item] = {}
    todo: list[Task] = []
    for item in chosen:
        met = [run for run in item.runs if all(condition.holds(run) for condition in conditions)]
        missing = [run for run in met if item.ledger.state(run) not in done and run.key not in homes]
        stale = sum(item.ledger.state(run) is State.STALE for run in met)
        if stale:
            sys.stderr.write(
                f"{item.spec.id}: {stale} rows are stale, made by other code; they are {'kept' if keep else 'run again'}.\n"
            )
        homes |= {run.key: item for run in missing}
        todo += tasks(missing)
    if not todo:
        return
    with Bar(sum(task.seconds for task in todo)) as bar:

        def finished(task: Task, outcomes: list[Outcome]) -> None:
            item = homes[task.runs[0].key]
            item.ledger.append(task.runs, outcomes)
            bar.advance(task.seconds, item.spec.id)

        work(todo, finished)


def _with_data(spec: Spec) -> tuple[Spec, tuple[str, ...]]:
    """Return the spec with data that can be loaded, and what to say if they are not the paper's."""
    if spec.content.get("problem", {}).get("data") != "cmu_house":
        return spec, ()
    try:
        cmu_house()
    except FileNotFoundError:
        problem: dict[str, Any] = {**spec.content["problem"], "data": _STAND_IN}
        instead = (
            f"The CMU House data are not at hand, so this was run on {_STAND_IN}, a drawn house seen by a moving camera, and "
            "cannot be compared with the paper. To use the data, name their folder in the variable ORTHOPROX_CMU_HOUSE; "
            "help(orthoprox.datasets.cmu_house) says where to get them."
        )
        return replace(spec, content={**spec.content, "problem": problem}), (instead,)
    return spec, ()


def _account(item: Item, rows: list[Row]) -> tuple[str, ...]:
    """Return how complete the rows are, and how the runs ended."""
    sentences = [f"{len(rows)} of {len(item.runs)} runs are shown."]
    stale = sum(row["state"] is State.STALE for row in rows)
    if stale:
        sentences.append(f"{stale} of them are stale: they were made by other code than the present one.")
    ends = Counter(row["status"].lower() for row in rows)
    sentences.append("They ended as: " + ", ".join(f"{status} {count}" for status, count in ends.most_common()) + ".")
    sentences += sorted({f"Error: {row['message']}" for row in rows if row["status"] == "ERROR"})
    return tuple(sentences)


def _facts() -> dict[str, str]:
    return {
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "orthoprox": orthoprox.__version__,
        "Python, NumPy, SciPy": f"{platform.python_version()}, {np.__version__}, {scipy.__version__}",
        "machine": f"{platform.system()} {platform.machine()}, one BLAS thread for each process",
        "paper": "Zhu, Ding, Liu and So, Primal-Dual Methods for Nonsmooth Nonconvex Optimization with Orthogonality "
        "Constraints, https://arxiv.org/abs/2604.04130 (2026)",
    }
