"""A call with a checkpoint: what it is recognised by, and how it goes on."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from math import isclose, prod
from typing import Any, TypeVar

import numpy as np

from orthoprox._adaptive.compiled import INSTALL
from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, from_numpy, is_array, namespace, norm, to_numpy
from orthoprox._linalg.products import SMALL, compiled, using
from orthoprox._linalg.stiefel import polar
from orthoprox._run.result import Result
from orthoprox.files.checkpoint import Checkpoint, Content, Described, discard, past_of
from orthoprox.files.journal import Journal, Watch
from orthoprox.problems.own_terms import BROKEN
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.status import Status

T = TypeVar("T")

_KINDS = {"problem": Problem}  # no file holds one: whoever resumes has it
_PROJECTIONS = 3  # of the gradient, by which data are recognised
_SHORT = 1e-3  # a step after which the prox of no ordinary weight is 0
_CLOSE = 1e-9  # the relative difference that another machine may make


@dataclass(frozen=True)
class Place:
    """Where a call keeps its checkpoint, and what it does with one that is there."""

    path: Any
    every: float  # seconds
    resume: bool


def place(checkpoint: Any, checkpoint_every: Any, resume: Any) -> Place:
    """Return the three options of a call, checked."""
    resume, every = inputs.flag(resume, "resume"), inputs.number(checkpoint_every, "checkpoint_every", strict=False)
    if checkpoint is None:
        raise ValueError("resume is True, but there is no checkpoint to resume from; name one, as checkpoint='run.npz'.")
    return Place(checkpoint, every, resume)


@dataclass(frozen=True)
class Recording:
    """A call that keeps a checkpoint."""

    where: Place
    described: Described  # what it is recognised by
    deadline: Deadline
    known: dict[str, Any]  # the problem and the solver, which no file holds
    like: Array  # an array of the library of X
    modules: set[str] = field(default_factory=set)  # of the user's own classes

    @classmethod
    def of(
        cls,
        where: Place,
        problem: Problem,
        options: Described,
        deadline: Deadline,
        *,
        solver: Any,
        start: Any,
    ) -> "Recording":
        """Return the recording of a call on a problem, from a start by name or an array; ``solver``
        is a method, its name, or None.
        """
        X, data = polar(np.random.default_rng(0).standard_normal(problem.shape)), getattr(problem.smooth, "data", None)
        X = X if data is None else from_numpy(X, like=data)
        like = start if is_array(start) else X
        modules = {type(part).__module__ for part in (solver, *uncounted(problem))}
        known = {"problem": problem} | ({} if isinstance(solver, str | None) else {"solver": solver})
        described = _of_problem(problem, X) | {"the method": repr(solver), "the start": _named(start)} | options
        return cls(where, described, deadline, known, like, modules)

    def result(self, compute: Callable[[], Result]) -> Result:
        """Return the result of a call, which says how often it was resumed."""
        found, resumed = self.found(compute, lambda result: result.status not in (Status.TIME, Status.INTERRUPTED))
        return replace(found, resumed=resumed)

    def found(self, compute: Callable[[], T], finished: Callable[[T], bool]) -> tuple[T, int]:
        """Return what the call computes, as far as it was done before from its file, and how often
        it was resumed. A finished one is returned as it is.
        """
        ranks = self.deadline.ranks
        with _opened(self.where, self.described, ranks) as (file, content, resumed):
            place = str(self.where.path)
            past, found = past_of(content, place, self.modules, self._foreign, self.known)
            if found is not None:
                _remove_parts(file)  # a kill may have come before
                return found, resumed - 1
            watch = Watch(lambda: None, lambda _: None, lambda: self.deadline.over)
            write = _nowhere if file is None else file.write
            journal = Journal(write, self.where.every, watch, past)
            journal.place = None if file is None else file.place
            try:
                with journal.active():
                    value = journal.unit("call", lambda page: compute(), **self.known)
            except BaseException:
                journal.write()
                raise
            if finished(value) and not journal.over():  # else what was cut may go on
                write(value, self.known, finished=True)
                _remove_parts(file)
            else:
                journal.write()
            return value, resumed

    def _foreign(self, array: Array) -> Array:
        """Return an array of NumPy in the library of X."""
        return namespace(self.like).asarray(array, device=self.like.device)


def part_of(place: str, number: int) -> str:
    """Return the file of a run in another process, beside that of the call."""
    return f"{place}.start{number}"


@contextmanager
def _opened(where: Place, described: Described, ranks: Any) -> Iterator[tuple[Checkpoint | None, Content, int]]:
    """Yield the file of a call, what is in it, and how often it was resumed. Of several ranks, the
    first alone has the file, and tells the others; they all raise what it raises.
    """
    file, error = None, None
    if ranks is None or ranks.rank == 0:
        try:
            file = Checkpoint(where.path, described, resume=where.resume, differ=_difference, kinds=_KINDS)
        except (OSError, ValueError, TypeError, RuntimeError) as reason:
            error = reason
    told = (error, None if file is None else file.content, 0 if file is None else file.resumed)
    try:
        error, content, resumed = told if ranks is None else ranks.first_of(told)
        if error is not None:
            raise error
        yield file, content, resumed
    finally:
        if file is not None:
            file.close()


def _nowhere(tree: Any, known: Any, *, finished: bool = False) -> None:
    """Write nothing: another rank has the file."""


def _remove_parts(file: Checkpoint | None) -> None:
    """Remove what runs in other processes have left, also those that were killed."""
    if file is None:
        return
    folder, name = os.path.split(file.place)
    part = re.compile(rf"({re.escape(name)}\.start\d+)(\.lock)?")
    for entry in filter(None, map(part.fullmatch, os.listdir(folder))):
        discard(os.path.join(folder, entry[1]))


def watch(meter: Meter, rng: np.random.Generator | None, deadline: Deadline) -> Watch:
    """Return what is counted in a call: its work, its time and its random numbers."""

    def remember() -> Any:
        return meter.remembered(), None if rng is None else rng.bit_generator.state

    def recall(before: Any) -> None:
        meter.recall(before[0])
        if rng is not None:
            rng.bit_generator.state = before[1]

    return Watch(remember, recall, lambda: deadline.over)


@contextmanager
def same_kernels(journal: Journal, shape: tuple[int, int]) -> Iterator[None]:
    """Let a call that is resumed use compiled loops for products if the one before did."""
    used = journal.unit("kernels", lambda page: prod(shape) >= SMALL and compiled() is not None)
    with using(used):
        if used and compiled() is None:
            raise ValueError(f"The checkpoint was begun with compiled loops, but numba is not installed; {INSTALL}.")
        yield


def digest(data: bytes) -> str:
    """Return a short text that stands for the data."""
    return blake2b(data, digest_size=8).hexdigest()


def _named(start: Any) -> str:
    """Return the name of a start, or what tells an array from another one."""
    if isinstance(start, str):
        return start
    return f"an array, {digest(np.ascontiguousarray(to_numpy(start)).tobytes())}"


def _of_problem(problem: Problem, X: Array) -> Described:
    """Return what a problem is recognised by: its terms and, at the point X, their values."""
    ell, g = uncounted(problem)
    described = {
        "orthoprox": _version(),
        "the smooth term": ell.__class__.__name__,
        "the nonsmooth term": g.__class__.__name__,
        "the shape of X": list(problem.shape),
        "the library of its arrays": namespace(X).__name__,
    }
    with quiet():
        try:
            D, rng = ell.grad(X), np.random.default_rng(1)
            P, near = (g.prox(X, t / (1 + 2 * g.modulus)) for t in (1.0, _SHORT))
            projections = [namespace(X).sum(D * from_numpy(rng.standard_normal(D.shape), X)) for _ in range(_PROJECTIONS)]
            numbers = [norm(D), ell.value(X), *projections, norm(P), g.value(P), norm(near), g.value(X)]
        except (*BROKEN, ValueError, TypeError):  # the call will tell
            numbers = []
    return described | {"values of its terms": [repr(float(number)) for number in numbers]}


def _difference(before: Described, now: Described) -> str:
    """Return how two calls differ, in a sentence; an empty text if they are the same."""
    for name in before | now:
        old, new = before.get(name), now.get(name)
        if name == "values of its terms":
            if not _close(old, new):
                return "at a test point the terms have other values, so the data or the weights are others."
        elif old != new:
            return f"{name} is {_told(old)} there and {_told(new)} here."
    return ""


def _close(old: Any, new: Any) -> bool:
    """Whether the values are the same up to rounding: of l relative to |grad l|, of g each."""
    if not isinstance(old, list) or len(old) != len(new):
        return False
    size = max((abs(float(value)) for value in new[:2]), default=0.0)
    pairs = [(float(a), float(b)) for a, b in zip(old, new, strict=True)]
    smooth, rest = pairs[: 2 + _PROJECTIONS], pairs[2 + _PROJECTIONS :]
    return all(a == b or isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE * size) for a, b in smooth) and all(
        a == b or isclose(a, b, rel_tol=_CLOSE) for a, b in rest
    )


def _told(value: Any) -> str:
    return "nothing" if value is None else f"{value!r}" if isinstance(value, str) else f"{value}"


def _version() -> str:
    try:
        return version("orthoprox")
    except PackageNotFoundError:  # a program that has the source without installing it
        return "unknown"
