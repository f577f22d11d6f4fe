"""The journal of a long computation: what has been found so far, so that it can go on after its
process has ended.

The computation is deterministic. Its journal is a tree of pages, one for each unit of work within
another. A page holds what its inner units have returned and, if it is a loop, the last state that
the loop has kept. Whoever resumes runs the same program: a unit that had ended returns what it
returned, a loop goes on from its state, and everything between them is computed again. Then all
that follows is the same, bit for bit.

The clock says when something is written, never what is computed.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeVar

from orthoprox.files.plain import Reader

T = TypeVar("T")

CURRENT: ContextVar["Journal | None"] = ContextVar("journal", default=None)  # of the call that is under way
_MOMENT = 0.05  # seconds between the states of a loop that are noted in memory
_EARLY = 1.0  # seconds until the first write, so that what prevents writing is known soon
_SHARE = 50  # writing takes at most one part in so many of the time


class AstrayError(RuntimeError):
    """A resumed computation does other things than the one that wrote the journal."""

    def __init__(self, before: str, now: str) -> None:
        super().__init__(
            f"The checkpoint does not fit: it has {before!r} where this call does {now!r}. "
            "Resume with the versions and the options with which it was begun."
        )


@dataclass(frozen=True)
class Watch:
    """What is counted while a unit is at work, and what may end it."""

    remember: Callable[[], Any]  # the counts, as plain data
    recall: Callable[[Any], None]
    over: Callable[[], bool]  # whether it was told to end, by the user or by its time


@dataclass
class Unit:
    """What a unit of work has returned, and what had been counted by then."""

    name: str
    value: Any
    counters: Any


@dataclass
class Page:
    """A unit of work that is under way."""

    name: str
    done: list[Unit] = field(default_factory=list)  # inner units that have ended, since the state if there is one
    state: Any = None  # of a loop, the last that it has kept
    counters: Any = None  # what had been counted then
    inner: "Page | None" = None  # the unit at work within
    past: "Past | None" = field(default=None, repr=False)  # what an earlier process has left of this page
    journal: "Journal | None" = field(default=None, repr=False)
    watch: Watch | None = field(default=None, repr=False)

    def resumed(self, **known: Any) -> Any:
        """Return the state that the loop had kept before, or None; what is counted goes on from
        there. ``known`` are objects of the state that no file holds.
        """
        journal, past = self.journal, self.past
        if journal is None:
            return None
        journal.known |= known
        if past is None or past.state is None:
            return None
        past.reader.known.update(journal.known)
        (self.state,), self.counters = past.reader.value(past.state), past.reader.value(past.counters)
        past.state = None
        journal.recall(self.counters)
        return self.state

    def keep(self, state: Callable[[], Any], *, always: bool = False) -> None:
        """Note where the loop is, now and then or always: a copy of what changes, or objects that
        do not.
        """
        if self.journal is not None:
            self.journal.note(self, state, always=always)

    def end(self) -> None:
        """Take note that the unit was told to end, by the user or by its time: no more is noted."""
        if self.journal is not None:
            self.journal.ended = True

    def tree(self) -> Any:
        """Return the page as plain data."""
        done = [(unit.name, unit.value, unit.counters) for unit in self.done]
        state = None if self.state is None else (self.state,)
        return self.name, done, state, self.counters, None if self.inner is None else self.inner.tree()


class Past:
    """A page as it was read, whose values are made when they are asked for."""

    def __init__(self, reader: Reader, tree: Any) -> None:
        node = reader.parts(tree)
        self.reader, self.name = reader, reader.value(node[0])
        self.done = deque(reader.parts(unit) for unit in reader.parts(node[1]))
        self.state, self.counters = node[2], node[3]
        self.inner = None if node[4] is None else Past(reader, node[4])

    @property
    def left(self) -> bool:
        """Whether there is anything that was not used yet."""
        return self.state is not None or bool(self.done) or (self.inner is not None and self.inner.left)


class Journal:
    """The pages of a computation, and when they are written.

    Parameters
    ----------
    write : callable
        Writes the tree of pages; its second argument are the objects that are known by names.
    every : float
        Seconds between two writes at least; 0 writes at every opportunity.
    watch : Watch
        What is counted. Once the computation, or a part of it, was told to end, units return what
        they have, not what they would have found, and nothing is noted any more: whoever resumes
        goes on where that came.
    past : Past, optional
        What an earlier process has left.
    """

    def __init__(
        self,
        write: Callable[[Any, dict[str, Any]], None],
        every: float,
        watch: Watch,
        past: Past | None = None,
    ) -> None:
        self.root = self._page = Page("root", past=past, journal=self, watch=watch)
        self.every, self.ended = every, False
        self.place: str | None = None  # of the file; others of the same computation stand beside it
        self.known: dict[str, Any] = {}  # objects that no file holds, by the names that it has instead
        self._write = write
        self._noted = self._written = perf_counter()
        self._pause = min(every, _EARLY)
        self._changed = False  # since it was written

    @contextmanager
    def active(self) -> Iterator[None]:
        """Let what is done within be noted here."""
        token = CURRENT.set(self)
        try:
            yield
        finally:
            CURRENT.reset(token)

    def watch(self, watch: Watch) -> None:
        """Let this count for the unit that is at work."""
        self._page.watch = watch

    def unit(self, name: str, compute: Callable[[Page], T], **known: Any) -> T:
        """Return what a unit of work computes, or what it returned before the computation was
        resumed. ``known`` are objects of its value that no file holds.
        """
        around, past = self._page, self._page.past
        if past is not None and past.done:
            before: T = self._ended_before(around, past, name, known)
            return before
        inner = None if past is None else past.inner
        if past is not None:
            past.inner = None
        if inner is None and self.over():
            return compute(Page(name))
        if inner is not None and inner.name != name:
            raise AstrayError(inner.name, name)
        page = Page(name, past=inner, journal=self)
        around.inner, self._page = page, page
        ended = False
        try:
            value = compute(page)
            ended = True
        finally:
            self._page = around
            if not ended and not self.over():
                around.inner = None
        if not self.over():
            around.inner = None
            around.done.append(Unit(name, value, self._remembered()))
            self._changed = True
            self.offer()
        return value

    def note(self, page: Page, state: Callable[[], Any], *, always: bool) -> None:
        """Note the state of a loop, always or if one was not noted a moment ago."""
        now = perf_counter()
        if (0 <= now - self._noted < min(_MOMENT, self.every) and not always) or self.over():
            return
        self._noted = now
        page.state, page.counters, page.inner = state(), self._remembered(), None
        page.done.clear()
        self._changed = True
        self.offer()

    def offer(self) -> None:
        """Write, if it is time to."""
        since = perf_counter() - self._written
        if not 0 <= since < self._pause:  # a clock that was set back counts as time to write
            self.write()

    def write(self) -> None:
        """Write what is noted, unless it is written, or not all of the past is used yet."""
        if not self._changed or any(page.past is not None and page.past.left for page in self._pages()):
            return
        begin = perf_counter()
        self._write(self.root.tree(), self.known)
        self._written, self._changed = perf_counter(), False
        self._pause = self.every and max(self.every, _SHARE * (self._written - begin))

    def over(self) -> bool:
        """Whether the computation was told to end, or a unit within it that is at work."""
        if not self.ended:
            self.ended = any(page.watch is not None and page.watch.over() for page in self._pages())
        return self.ended

    def recall(self, counters: Any) -> None:
        """Count on from there."""
        watch = self._watch()
        if watch is not None and counters is not None:
            watch.recall(counters)

    def _ended_before(self, around: Page, past: Past, name: str, known: dict[str, Any]) -> Any:
        before, value, counters = past.done.popleft()
        if past.reader.value(before) != name:
            raise AstrayError(past.reader.value(before), name)
        self.known |= known
        past.reader.known.update(self.known)
        unit = Unit(name, past.reader.value(value), past.reader.value(counters))
        around.done.append(unit)
        self.recall(unit.counters)
        return unit.value

    def _remembered(self) -> Any:
        watch = self._watch()
        return None if watch is None else watch.remember()

    def _watch(self) -> Watch | None:
        """Return the counters of the unit at work, or of the nearest one around it that has any."""
        return next((page.watch for page in reversed(self._pages()) if page.watch is not None), None)

    def _pages(self) -> list[Page]:
        """Return the units at work, from the whole to the innermost."""
        pages = [self.root]
        while pages[-1].inner is not None:
            pages.append(pages[-1].inner)
        return pages


def noted(name: str, compute: Callable[[], T], **known: Any) -> T:
    """Return what a unit of work computes; the journal of the call takes note of it, if there is
    one.
    """
    journal = CURRENT.get()
    return compute() if journal is None else journal.unit(name, lambda page: compute(), **known)
