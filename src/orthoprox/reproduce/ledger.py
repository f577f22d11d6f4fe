"""The rows of a study: JSON lines, one for each run, appended as the runs end."""

import json
import os
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any

import orthoprox
from orthoprox.reproduce.fingerprint import fingerprint
from orthoprox.reproduce.origin import origin
from orthoprox.reproduce.spec import Run

Row = dict[str, Any]


class State(Enum):
    """What is known about a run."""

    DONE = "done"
    STALE = "stale"  # done by other code
    MISSING = "missing"


class Ledger:
    """The rows in one file. A run has the last row with its key; failed runs have one like all others.

    Before the first rows of an origin (a date, a machine, its versions) stands a line about it, to which they refer.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[str, Row] = {}
        self._origins: dict[str, dict[str, str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:  # the last line of a process that was killed while writing
                continue
            if "key" in entry:
                self._rows[entry["key"]] = entry
            else:
                self._origins[entry["origin"]] = entry

    def append(self, runs: Iterable[Run], outcomes: Iterable[dict[str, Any]]) -> None:
        """Write what came of some runs, and before the first of them where and with what they were made."""
        here = origin()
        made_by = {"code": fingerprint(), "version": orthoprox.__version__, "origin": here["origin"]}
        rows = [{"key": run.key, **made_by, "at": run.at, **outcome} for run, outcome in zip(runs, outcomes, strict=True)]
        entries: list[dict[str, Any]] = rows if here["origin"] in self._origins else [here, *rows]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            if file.tell() and not self._ends_with_a_line():
                file.write("\n")
            file.writelines(json.dumps(entry) + "\n" for entry in entries)
            file.flush()
            os.fsync(file.fileno())
        self._origins[here["origin"]] = here
        self._rows.update((row["key"], row) for row in rows)

    def origins(self, rows: Iterable[Row]) -> list[dict[str, str]]:
        """Return where and with what some rows were made."""
        return [self._origins[name] for name in sorted({row.get("origin", "") for row in rows}) if name in self._origins]

    def state(self, run: Run) -> State:
        """Return whether a run is done. One that ended by an error, and so has no result, counts as missing."""
        row = self._rows.get(run.key)
        if row is None or row["status"] == "ERROR":
            return State.MISSING
        return State.DONE if row["code"] == fingerprint() else State.STALE

    def rows(self, runs: Iterable[Run]) -> list[Row]:
        """Return the rows of the runs that have one, with their state."""
        return [{**self._rows[run.key], "state": self.state(run)} for run in runs if run.key in self._rows]

    def _ends_with_a_line(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
