"""The rows of the benchmark, in a ledger like those of the reproduction: one line for each task,
with all of its rows.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from benchmarks.studies.task import Row, Task

import orthoprox as op
from orthoprox.reproduce.entry import OBJECTS, renamed, schema
from orthoprox.reproduce.fingerprint import sources
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.spec import Run

DONE = "DONE"
RENAMED = {  # since the first schema, by study; those that are not here had the present names
    "headline": {"seconds": "run_seconds", "wall": "seconds"},
    "small": {"seconds": "run_seconds"},
    "growth": {"wall": "seconds"},
}


class Rows:
    """The rows in one file. Lines that cannot be used are in ``damaged``; their tasks are left to
    do.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ledger = Ledger(path, lambda run: code(), {"rows": OBJECTS})
        self.damaged = self._ledger.damaged

    @property
    def everything(self) -> list[Row]:
        """All rows in the order of the file, each with its study, case and seed, and the code and
        origin that made it.
        """
        found = []
        for task in self._ledger.everything():
            names = RENAMED.get(task["at"]["study"], {}) if schema(task) == 1 else {}
            made = {"code": task["code"], "origin": task["origin"]}
            found += [{**task["at"], **renamed(row, names), **made} for row in task["rows"]]
        return found

    def append(self, task: Task, rows: Sequence[Row]) -> None:
        """Write the rows of a task."""
        self._ledger.append([_run(task)], [{"status": DONE, "rows": list(rows)}])

    def left(self, tasks: Iterable[Task]) -> list[Task]:
        """Return the tasks that have no row yet."""
        return [task for task in tasks if self._ledger.state(_run(task)) is State.MISSING]

    def of(self, study: str) -> list[Row]:
        """Return the rows of a study, in the order of the file."""
        return [row for row in self.everything if row["study"] == study]

    def origin(self, row: Row) -> dict[str, str]:
        """Return on which machine, when and with what a row was made."""
        return self._ledger.origins([row])[0]


@cache
def code() -> str:
    """Return the hash of the code that is measured: of ``minimize`` and of all methods."""
    return sources().hash(["orthoprox.minimize", *(kind.__module__ for kind in op.SOLVERS.values())])


def _run(task: Task) -> Run:
    return Run(task.at, task.at)
