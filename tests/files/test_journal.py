"""A journal: from whatever was written, a computation goes on to the same end."""

import random

import pytest

from orthoprox.files import journal as module
from orthoprox.files.journal import CURRENT, AstrayError, Journal, Page, Past, Watch
from orthoprox.files.plain import Reader, Writer


class Counter:
    """What a computation counts, and its random numbers."""

    def __init__(self, end=10**9):
        self.steps, self.rng, self.end, self.over = 0, random.Random(0), end, False

    def step(self):
        self.steps += 1
        self.over = self.over or self.steps >= self.end
        return self.rng.random()

    def watch(self):
        return Watch(self.remember, self.recall, lambda: self.over)

    def remember(self):
        return self.steps, [list(part) if isinstance(part, tuple) else part for part in self.rng.getstate()]

    def recall(self, before):
        self.steps, (version, numbers, gauss) = before
        self.rng.setstate((version, tuple(numbers), gauss))


def inner(counter, page):
    """A loop of seven steps, whose state is a sum."""
    k, total = page.resumed() or (0, 0.0)
    while k < 7:
        k, total = k + 1, total + counter.step()
        page.keep(lambda: (k, total))  # noqa: B023
    return total


def outer(counter, journal):
    """Rounds of a unit of two loops, and of steps between."""

    def rounds(page):
        k, totals = page.resumed() or (0, ())
        while k < 4:
            first = journal.unit("pair", lambda _: [journal.unit("inner", lambda page: inner(counter, page)) for _ in range(2)])
            totals, k = (*totals, *first, counter.step()), k + 1
            page.keep(lambda: (k, totals))  # noqa: B023
        return totals

    return journal.unit("begin", lambda page: counter.step()), journal.unit("rounds", rounds), counter.steps


def written(tree):
    writer = Writer()
    part = writer.add(tree)
    return Past(Reader(writer.nodes, writer.arrays), part)


def run(past=None, every=0.0, **options):
    """Return what the computation returns, and the trees that were written on the way."""
    counter, trees = Counter(**options), []
    journal = Journal(lambda tree, known: trees.append(tree), every, counter.watch(), past)
    return outer(counter, journal), trees, journal


def test_from_everything_that_was_written_the_end_is_the_same():
    expected, trees, _ = run()
    assert len(trees) > 60
    for tree in trees:
        assert run(written(tree))[0] == expected


def test_what_was_done_is_not_done_again():
    """The last state has all but a step."""
    _, trees, _ = run()
    counter = Counter()
    count, counter.step = [0], lambda step=counter.step: count.__setitem__(0, count[0] + 1) or step()
    outer(counter, Journal(lambda *_: None, 0.0, counter.watch(), written(trees[-1])))
    assert count[0] == 0
    assert counter.steps > 60


@pytest.mark.parametrize("end", [1, 2, 9, 30, 59])
def test_what_is_told_to_end_goes_on_from_there(end):
    """What its units return after that is of no account."""
    expected = run()[0]
    _, trees, journal = run(every=60.0, end=end)
    journal.write()
    assert run(written(trees[-1]) if trees else None)[0] == expected


def test_what_is_resumed_without_time_returns_what_was_there_and_writes_nothing():
    _, trees, _ = run()
    found, new, journal = run(written(trees[30]), end=0)
    journal.write()
    assert new == []
    assert found[0] == run()[0][0]


def test_a_journal_of_another_computation_is_refused():
    past = written(run()[1][5])
    journal = Journal(lambda *_: None, 0.0, Counter().watch(), past)
    with pytest.raises(AstrayError, match="'begin' where this call does 'something'"):
        journal.unit("something", lambda page: 1)


def test_a_unit_that_raises_is_no_unit_that_ended():
    def fail(page):
        raise ArithmeticError

    journal = Journal(lambda *_: None, 0.0, Counter().watch())
    with pytest.raises(ArithmeticError):
        journal.unit("fail", fail)
    assert journal.unit("next", lambda page: 1) == 1
    assert [unit.name for unit in journal.root.done] == ["next"]
    assert journal.root.inner is None


class Clock:
    now = 0.0

    def __call__(self):
        self.now += 0.001
        return self.now


def test_writing_takes_at_most_a_fiftieth_of_the_time(monkeypatch):
    """However long one takes."""
    clock = Clock()
    monkeypatch.setattr(module, "perf_counter", clock)
    spent = []

    def write(tree, known):
        clock.now += 3.0
        spent.append(clock.now)

    journal = Journal(write, 1.0, Watch(lambda: None, lambda _: None, lambda: False))
    for _ in range(10_000):
        clock.now += 0.1
        journal.unit("step", lambda page: 1)
    assert len(spent) * 3.0 <= clock.now / 50 + 3.0
    assert len(spent) > 5


def test_a_clock_that_jumps_back_delays_nothing(monkeypatch):
    clock, times = Clock(), []
    monkeypatch.setattr(module, "perf_counter", clock)
    journal = Journal(lambda *_: times.append(clock.now), 60.0, Watch(lambda: None, lambda _: None, lambda: False))
    clock.now = 1000.0
    journal.unit("step", lambda page: page.keep(lambda: 1))
    clock.now = 10.0  # an hour earlier would be the same
    journal.unit("step", lambda page: page.keep(lambda: 2))
    assert times[-1] < 11


def test_without_a_journal_pages_keep_nothing():
    page = Page("alone")
    page.keep(lambda: 1 / 0)
    assert page.resumed() is None
    assert CURRENT.get() is None
