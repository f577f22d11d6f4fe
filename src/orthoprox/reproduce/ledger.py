"""The rows of a study: JSON lines, one for each run, appended as the runs end."""

import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from time import sleep
from typing import IO, Any

import orthoprox
from orthoprox.files import locks
from orthoprox.files.whole import whole
from orthoprox.reproduce.entry import SCHEMA, Kind, Row, read
from orthoprox.reproduce.origin import origin
from orthoprox.reproduce.spec import Run

_LOCK, _PAUSE = 2**62, 0.01  # the byte that a process locks while it writes, and how often it asks for it, in seconds
_LARGE = 500_000  # bytes of a file that is packed


class State(Enum):
    """What is known about a run."""

    DONE = "done"
    STALE = "stale"  # done by other code
    MISSING = "missing"


class Ledger:
    """The rows in one file. A run has the last row with its key; failed runs have one like all
    others.

    Before the first rows of an origin (a date, a machine, its versions) stands a line about it, to
    which they refer. Several processes may append to the file. Rows of an older schema stay in the
    file as they are; read, they have the present names. A line that cannot be used, such as one of
    a schema to come, is set aside: ``damaged`` says where it is and why, and its run counts as
    missing.

    Parameters
    ----------
    path : Path
        The file, which need not exist. If it is there only packed, as ``path.gz``, its rows are
        read from there, and it is unpacked before rows are appended.
    code : callable
        The hash of the code that would make a run now.
    fields : mapping
        What the rows of finished runs must hold, with the kinds of the values.
    """

    def __init__(self, path: Path, code: Callable[[Run], str], fields: Mapping[str, Kind] | None = None) -> None:
        self.path, self.packed = path, path.with_name(f"{path.name}.gz")
        self.damaged: list[str] = []
        self._code, self._fields = code, fields or {}
        self._rows: dict[str, Row] = {}
        self._origins: dict[str, dict[str, str]] = {}
        self._size = 0  # of the file as far as it is known
        if path.exists():
            self._read(path.read_bytes())
        elif self.packed.exists():
            self._read(gzip.decompress(self.packed.read_bytes()))

    def append(self, runs: Iterable[Run], outcomes: Iterable[dict[str, Any]]) -> None:
        """Write what came of some runs, and before the first of them where and with what they were
        made.
        """
        here = origin()
        made = {"schema": SCHEMA, "version": orthoprox.__version__, "origin": here["origin"]}
        pairs = list(zip(runs, outcomes, strict=True))
        rows = [{"key": run.key, "code": self._code(run), **made, "at": run.at, **outcome} for run, outcome in pairs]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked() as file:
            self._unpack(file)
            self._catch_up(file)
            entries: list[dict[str, Any]] = rows if here["origin"] in self._origins else [here, *rows]
            start = "" if self._ends_with_a_line(file) else "\n"
            written = (start + "".join(json.dumps(entry) + "\n" for entry in entries)).encode()
            file.write(written)
            os.fsync(file.fileno())
            self._size += len(written)
        self._origins[here["origin"]] = here
        self._rows.update((row["key"], row) for row in rows)

    def pack(self) -> None:
        """Write a large file a second time, packed, as which it can be kept."""
        if self.path.exists() and self.path.stat().st_size > _LARGE:
            with whole(str(self.packed)) as file:
                file.write(gzip.compress(self.path.read_bytes(), mtime=0))

    def refresh(self) -> None:
        """Read what other processes have appended."""
        if self.path.exists():
            with self._locked() as file:
                self._catch_up(file)

    def origins(self, rows: Iterable[Row]) -> list[dict[str, str]]:
        """Return where and with what some rows were made."""
        return [self._origins[name] for name in sorted({row.get("origin", "") for row in rows}) if name in self._origins]

    def state(self, run: Run) -> State:
        """Return whether a run is done. One that ended by an error, and so has no result, counts as
        missing.
        """
        row = self._rows.get(run.key)
        if row is None or row["status"] == "ERROR":
            return State.MISSING
        return State.DONE if row["code"] == self._code(run) else State.STALE

    def due(self, run: Run, *, keep: bool) -> bool:
        """Return whether a run is to be done: it is missing, or stale and such rows are not
        kept.
        """
        state = self.state(run)
        return state is State.MISSING or (state is State.STALE and not keep)

    def everything(self) -> list[Row]:
        """Return all rows that the file has, of whatever runs, in the order of the file."""
        return list(self._rows.values())

    def rows(self, runs: Iterable[Run]) -> list[Row]:
        """Return the rows of the runs that have one, with their state and their place in the
        study.
        """
        found = [run for run in runs if run.key in self._rows]
        return [{**self._rows[run.key], "at": run.at, "state": self.state(run)} for run in found]

    def _read(self, content: bytes) -> None:
        """Read the whole file."""
        self.damaged, self._rows, self._origins, self._size = [], {}, {}, len(content)
        for number, line in enumerate(content.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                entry = read(line, self._fields)
            except ValueError as error:
                self.damaged.append(f"{self.path}, line {number}: {error}; the line is not used.")
                continue
            if "key" in entry:
                self._rows[entry["key"]] = entry
            else:
                self._origins[entry["origin"]] = entry

    def _unpack(self, file: IO[bytes]) -> None:
        """Fill a file that is new with the rows that are there packed."""
        if file.seek(0, os.SEEK_END) == 0 and self.packed.exists():
            file.write(gzip.decompress(self.packed.read_bytes()))

    def _catch_up(self, file: IO[bytes]) -> None:
        if file.seek(0, os.SEEK_END) != self._size:
            file.seek(0)
            self._read(file.read())

    def _ends_with_a_line(self, file: IO[bytes]) -> bool:
        if self._size == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"

    @contextmanager
    def _locked(self) -> Iterator[IO[bytes]]:
        """Yield the file, to which no other process writes meanwhile."""
        with self.path.open("a+b", buffering=0) as file:
            while not locks.take(file, _LOCK):
                sleep(_PAUSE)
            try:
                yield file
            finally:
                locks.release(file, _LOCK)
