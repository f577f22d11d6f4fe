"""Many calls in chunks, each with a seed of its own, and what came of them."""

import os
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.engine import ConjectureRunner

from fuzz.calls import calls
from fuzz.promises import watch

CHUNK = 250  # calls that share a seed
QUIET = list(HealthCheck)


@dataclass
class Failure:
    """A call that broke a promise."""

    name: str
    broken: str
    place: str
    chunk: int
    call: str

    @property
    def cause(self):
        """What failures of one cause have in common: the function, the line, the words."""
        words = re.sub(r"[-+]?\d[\d.e+-]*|'[^']*'|\[[^\]]*\]|<[^>]*>", "#", self.broken)
        return self.name, self.place, words[:90]


@dataclass
class Tally:
    """Counts by the name of what was called."""

    calls: Counter = field(default_factory=Counter)
    returned: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    claims: Counter = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    slowest: float = 0.0

    def add(self, other):
        """Add the counts of another part."""
        for name in ("calls", "returned", "refused", "claims"):
            getattr(self, name).update(getattr(other, name))
        self.failures += other.failures
        self.slowest = max(self.slowest, other.slowest)

    def book(self, report, chunk, seconds):
        """Count one call."""
        name = report.call.name
        self.calls[name] += 1
        self.returned[name] += report.outcome == "returned"
        self.refused[name] += report.outcome == "refused"
        self.claims[name] += report.claims
        self.slowest = max(self.slowest, seconds)
        self.failures += [Failure(name, text, report.place, chunk, repr(report.call)) for text in report.broken[:3]]


def run_chunk(chunk: int, number: int, only: str | None = None, note: Path | None = None) -> Tally:
    """Make the calls of one chunk; ``note`` is a file that always holds the call under way."""
    tally = Tally()

    @seed(chunk)
    @settings(max_examples=number, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=QUIET)
    @given(calls(only))
    def body(call):
        if note is not None:
            note.write_text(f"chunk {chunk}: {call!r}")
        begin = perf_counter()
        report = watch(call)
        tally.book(report, chunk, perf_counter() - begin)

    try:
        with without_mutations():
            body()
    except Exception as error:  # of the fuzzer itself: a call could not be made up
        tally.failures.append(Failure("the fuzzer", f"{type(error).__name__}: {error}", "", chunk, ""))
    return tally


def without_mutations():
    """Keep hypothesis from making every other call of parts of the one before: it looks for
    failures that equal parts cause, and the calls are to differ.
    """
    return patch.object(ConjectureRunner, "generate_mutations_from", lambda runner, data: None, create=True)


def run(first: int, number: int, *, jobs: int = 1, only: str | None = None, show=lambda tally: None) -> Tally:
    """Make ``number`` calls in chunks with the seeds ``first``, ``first`` + 1, ..."""
    total = Tally()
    chunks = [(first + k, min(CHUNK, number - k * CHUNK)) for k in range(-(-number // CHUNK))]
    if jobs == 1:
        with suppress(KeyboardInterrupt):  # what has been found is shown
            for chunk, size in chunks:
                total.add(run_chunk(chunk, size, only))
                show(total)
        return total
    with TemporaryDirectory() as folder:
        while chunks:
            done = set()
            with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
                waiting = {pool.submit(_noted, folder, *chunk, only): chunk for chunk in chunks}
                try:
                    for future in as_completed(waiting):
                        total.add(future.result())
                        done.add(waiting[future])
                        show(total)
                except BrokenProcessPool:  # the watchdog has ended a process: the notes say in which calls
                    for note in Path(folder).iterdir():
                        text = note.read_text()
                        note.unlink()
                        if text:
                            chunk = int(text.split(":")[0].removeprefix("chunk "))
                            total.failures.append(
                                Failure("?", "hang or crash: one of these ended its process", "", chunk, text)
                            )
                            done.add(next((one for one in chunks if one[0] == chunk), (chunk, 0)))
            chunks = [chunk for chunk in chunks if chunk not in done]
    return total


def _noted(folder: str, chunk: int, number: int, only: str | None) -> Tally:
    note = Path(folder) / str(os.getpid())
    tally = run_chunk(chunk, number, only, note)
    note.write_text("")
    return tally
