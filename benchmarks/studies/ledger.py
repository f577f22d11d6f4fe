"""The rows of the benchmark: JSON lines. Before the first rows of a machine or of a version of the code stands a line on it."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.studies.task import Row, Task

ORIGIN = "origin"  # the study that a line on a machine names


class Ledger:
    """The rows in one file. All rows of a task are written at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        entries = [json.loads(line) for line in lines]
        self.origins: list[Row] = [entry for entry in entries if entry["study"] == ORIGIN]
        self.rows: list[Row] = [entry for entry in entries if entry["study"] != ORIGIN]

    def append(self, rows: Iterable[Row], origin: dict[str, str]) -> None:
        """Write the rows of a task, made at this origin."""
        line = {"study": ORIGIN, **origin}
        if line not in self.origins:
            self.origins.append(line)
            self._write([line])
        made = [{**row, ORIGIN: self.origins.index(line)} for row in rows]
        self.rows += made
        self._write(made)

    def left(self, tasks: Iterable[Task]) -> list[Task]:
        """Return the tasks that have no row yet."""
        done = {(row["study"], row["case"], row["seed"]) for row in self.rows}
        return [task for task in tasks if task.key not in done]

    def of(self, study: str) -> list[Row]:
        """Return the rows of a study, in the order of the file."""
        return [row for row in self.rows if row["study"] == study]

    def _write(self, entries: Sequence[Row]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(entry) + "\n" for entry in entries))
