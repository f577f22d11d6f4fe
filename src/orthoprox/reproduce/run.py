"""Every table and figure of the paper: what is missing is run, and all that is there becomes one
report.
"""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import orthoprox
from orthoprox._arrays import inputs
from orthoprox._run.workers import cores
from orthoprox.datasets import cmu_house
from orthoprox.reproduce import report
from orthoprox.reproduce.agenda import Agenda, Job
from orthoprox.reproduce.bar import Bar
from orthoprox.reproduce.claims import Claims
from orthoprox.reproduce.command import commands
from orthoprox.reproduce.condition import Condition
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.fingerprint import fingerprint
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.section import IncompleteError, Section
from orthoprox.reproduce.sections import SECTIONS
from orthoprox.reproduce.spec import Run, Spec, load, names
from orthoprox.reproduce.studies import STUDIES, fields
from orthoprox.reproduce.table import markdown
from orthoprox.reproduce.task import tasks
from orthoprox.reproduce.workers import work

_STAND_IN = "synthetic_house"
_INSTEAD = (
    f"The CMU House data are not at hand, so this was run on {_STAND_IN}, a drawn house seen by a moving camera, and cannot be "
    "compared with the paper. To use the data, name their folder in the variable ORTHOPROX_CMU_HOUSE; "
    "help(orthoprox.datasets.cmu_house) says where to get them."
)
_REDUCED = "Reduced size: problems, grids and budgets are far smaller than the paper's, so numbers are not comparable with it."
_PAPER = (
    "Zhu, Ding, Liu and So, Primal-Dual Methods for Nonsmooth Nonconvex Optimization with Orthogonality Constraints, "
    "https://arxiv.org/abs/2604.04130 (2026)"
)
_SHARED = 1.1  # a timed run whose run_seconds are this many times its run_cpu_seconds had to share the machine


@dataclass(frozen=True)
class Item:
    """One table or figure, with its rows."""

    spec: Spec
    runs: list[Run]
    ledger: Ledger
    beside: "Item | None" = None  # whose rows its section shows as well

    def states(self) -> Counter[State]:
        """Return how many runs are done, stale and missing."""
        return Counter(map(self.ledger.state, self.runs))

    @property
    def rows(self) -> list[Row]:
        """The rows of its runs."""
        return self.ledger.rows(self.runs)

    @property
    def hours(self) -> float:
        """About how long all of its runs take."""
        study = STUDIES[self.runs[0].settings["study"]]
        total = sum(study.seconds(run.settings) for run in self.runs)
        return total / 3600 / (1 if study.timed else cores())


def items(out: Path, *, quick: bool = False) -> dict[str, Item]:
    """Return all tables and figures by their ids, with the rows that lie in a folder; tell of lines
    that cannot be used.
    """
    found: dict[str, Item] = {}
    for name in names():
        spec = load(name, quick=quick)
        if spec.uses:
            found[name] = replace(found[spec.uses], spec=spec)
            continue
        runs = spec.runs()
        ledger = Ledger(out / "rows" / f"{name}.jsonl", lambda run: fingerprint(run.settings), fields(runs[0].settings))
        sys.stderr.writelines(f"{sentence}\n" for sentence in ledger.damaged)
        found[name] = Item(spec, runs, ledger, found[spec.beside] if spec.beside else None)
    return found


def listing(out: Path, *, quick: bool = False) -> str:
    """Return the table of what can be made, about how long it takes, and what of it is done."""
    lines = []
    for name, item in _with_rows(items(out, quick=quick)).items():
        states = item.states()
        counts = [str(states[state]) for state in (State.DONE, State.STALE, State.MISSING)]
        minutes = f"{60 * item.hours:.0f}" if item.hours > 1 / 60 else "< 1"
        figures = [""] * 5 if item.spec.uses else [str(len(item.runs)), minutes, *counts]
        note = f"; drawn from {item.spec.uses}" if item.spec.uses else ""
        lines.append([name, item.spec.reference, *figures, item.spec.title + note])
    return markdown(["id", "in the paper", "runs", "minutes", "done", "stale", "missing", "content"], lines)


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

    Runs are executed in processes of their own. Calls that work in one folder at the same time
    share the work. A line of the rows that cannot be used is told on standard error, and its run is
    made again.

    Parameters
    ----------
    ids : sequence of str
        The tables and figures to run, all of them by default. The report shows all that have rows.
    quick : bool
        Whether to run everything at a reduced size.
    out : path
        The folder of the rows, tables, figures and the page. Rows that are there are not computed
        again.
    keep : bool
        Whether to keep rows that were made by other code, instead of running them again.
    where : sequence of str
        Conditions such as "m <= 500" or "seed < 3", to run a part only.
    run : bool
        Whether to run anything; otherwise the report is written from the rows that are there.
    """
    out = Path(out)
    known = items(out, quick=quick)
    chosen = {inputs.choice(name, "The id", known): known[name] for name in ids or known}
    conditions = [Condition.parse(text) for text in where]
    for condition in conditions:
        condition.check([run for item in chosen.values() for run in item.runs])
    if run:
        chosen = {name: _with_data(item) for name, item in chosen.items()}
        (out / "rows").mkdir(parents=True, exist_ok=True)  # a folder that cannot be written to is refused before the work
        _run(out, list({item.ledger.path: item for item in chosen.values()}.values()), conditions, keep)
    shown = [item for item in _with_rows(known).values() if item.rows]
    if not shown:
        raise ValueError(f"{out} has no rows yet, so there is nothing to report; run it without --report.")
    for item in shown:
        item.ledger.pack()
    title = "The experiments of the LSALM paper, reproduced" + (" at reduced size" if quick else "")
    sections = [section(item, quick=quick) for item in shown]
    parts = {item.spec.id: (item.runs, {row["key"] for row in item.rows}) for item in shown if not item.spec.uses}
    made = commands(parts, quick=quick)
    return report.write(out, sections, title=title, remarks=[_REDUCED] if quick else [], facts=_facts(shown), commands=made)


def section(item: Item, *, quick: bool) -> Section:
    """Return what the report says about one table or figure."""
    spec, rows = item.spec, item.rows
    others = [{**row, "beside": True} for row in item.beside.rows] if item.beside else []
    usable = [row for row in (*rows, *others) if row["status"] != "ERROR"]
    try:
        made = SECTIONS[spec.id](spec, usable, quick)
        if quick:  # numbers of reduced size agree or differ by chance
            undecided = tuple(replace(claim, ratio=None, agrees=None, sentence="", tested="") for claim in made.claims)
            made = replace(made, verdict="Made at reduced size, not comparable with the paper.", claims=undecided)
    except IncompleteError as missing:
        made = Section.of(spec, verdict=f"Not shown yet: {missing}")
    return replace(made, remarks=(*made.remarks, *_account(item, rows)))


def _run(out: Path, chosen: list[Item], conditions: list[Condition], keep: bool) -> None:
    """Execute the runs that are missing, or stale unless they are kept."""
    jobs: list[Job] = []
    for item in chosen:
        met = [run for run in item.runs if all(condition.holds(run) for condition in conditions)]
        stale = sum(item.ledger.state(run) is State.STALE for run in met)
        if stale:
            fate = "kept" if keep else "run again"
            sys.stderr.write(f"{item.spec.id}: {stale} rows are stale, made by other code; they are {fate}.\n")
        due = {run.key for run in met if item.ledger.due(run, keep=keep)}
        jobs += [Job(item.spec.id, task, item.ledger) for task in tasks(item.runs, due)]
    if not jobs:
        return
    with Bar(sum(job.task.seconds for job in jobs)) as bar, closing(Claims(out / "rows" / ".claims")) as claims:
        work(Agenda(jobs, claims, bar.advance, keep=keep))


def _stand_in(item: Item) -> Item:
    """Return the item on data that need no download, if it has some."""
    problem = item.spec.content["problem"]
    if problem.get("data") != "cmu_house":
        return item
    spec = replace(item.spec, content={**item.spec.content, "problem": {**problem, "data": _STAND_IN}})
    return Item(spec, spec.runs(), item.ledger)


def _with_rows(known: dict[str, Item]) -> dict[str, Item]:
    """Return the items, on the stand-in for their data where that alone has rows."""
    other = {name: _stand_in(item) for name, item in known.items() if not item.spec.uses and not item.rows}
    return known | {name: item for name, item in other.items() if item.rows}


def _with_data(item: Item) -> Item:
    """Return the item on data that can be loaded. A folder that the user named must hold them."""
    if item.spec.uses or item.spec.content["problem"].get("data") != "cmu_house":
        return item
    try:
        cmu_house()
    except FileNotFoundError:
        if os.environ.get("ORTHOPROX_CMU_HOUSE"):
            raise
        sys.stderr.write(f"{item.spec.id}: {_INSTEAD}\n")
        return _stand_in(item)
    return item


def _account(item: Item, rows: list[Row]) -> list[str]:
    """Return how complete the rows are, and how the runs ended."""
    sentences = [_INSTEAD] if item.runs[0].settings["problem"].get("data") == _STAND_IN else []
    sentences.append(f"{len(rows)} of {len(item.runs)} runs are shown.")
    stale = sum(row["state"] is State.STALE for row in rows)
    if stale:
        sentences.append(f"{stale} of them are stale: they were made by other code than the present one.")
    ends = Counter(row["status"].lower() for row in rows)
    sentences.append("They ended as: " + ", ".join(f"{status} {count}" for status, count in ends.most_common()) + ".")
    shared = sum(row.get("run_seconds", 0.0) > _SHARED * row.get("run_cpu_seconds", float("inf")) for row in rows)
    if shared:
        sentences.append(f"Timed runs that had to share the processor: {shared}. Their processor time is shown all the same.")
    return sentences + sorted({f"Error: {row['message']}" for row in rows if row["status"] == "ERROR"})


def _facts(shown: list[Item]) -> dict[str, str]:
    """Return what is to be known about the runs that are shown."""
    origins = [origin for item in shown for origin in item.ledger.origins(item.rows)]
    joined = {name: "; ".join(sorted({origin[name] for origin in origins})) for name in ("date", "versions", "machine")}
    return {"orthoprox": orthoprox.__version__, **joined, "paper": _PAPER}
