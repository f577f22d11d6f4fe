"""Runs in processes of their own: untimed ones on all cores, timed ones alone, each with one BLAS thread."""

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass

from orthoprox.experiments.spec import Run
from orthoprox.experiments.studies import STUDIES
from orthoprox.experiments.study import Outcome, Settings

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


_MOST = 61  # processes that a pool can have on every system
_SHARES = 4  # tasks for each core, so that finished ones are kept early and the last ones end together


@dataclass(frozen=True)
class Task:
    """Runs that are done together."""

    study: str
    runs: tuple[Run, ...]

    @property
    def timed(self) -> bool:
        """Whether it must have the machine to itself."""
        return STUDIES[self.study].timed

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return sum(STUDIES[self.study].seconds(run.settings) for run in self.runs)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST)


def tasks(runs: Sequence[Run]) -> list[Task]:
    """Return the tasks that some runs of one study make up: its groups; single runs if they are timed; else equal shares."""
    if not runs:
        return []
    name = runs[0].settings["study"]
    study = STUDIES[name]
    if study.group is not None:
        groups: dict[str, list[Run]] = {}
        for run in runs:
            groups.setdefault(study.group(run.settings), []).append(run)
        return [Task(name, tuple(group)) for group in groups.values()]
    size = 1 if study.timed else -(-len(runs) // (_SHARES * cores()))
    return [Task(name, tuple(runs[k : k + size])) for k in range(0, len(runs), size)]


def work(todo: Sequence[Task], done: Callable[[Task, list[Outcome]], None]) -> None:
    """Execute tasks, the timed ones after the others and one by one; ``done`` gets the outcomes of each as it ends.

    A task that raises is done as well: its outcomes have the status ERROR and the message.
    """
    for timed, processes in ((False, cores()), (True, 1)):
        chosen = [task for task in todo if task.timed is timed]
        if not chosen:
            continue
        with _one_thread(), _pool(min(processes, len(chosen))) as pool:
            futures = {pool.submit(_execute, task.study, [run.settings for run in task.runs]): task for task in chosen}
            for future in as_completed(futures):
                done(futures[future], _outcomes(future))


def _execute(study: str, group: list[Settings]) -> list[Outcome]:
    try:
        return STUDIES[study].execute(group)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return [{"status": "ERROR", "message": message, "trace": traceback.format_exc()} for _ in group]


def _outcomes(future: Future[list[Outcome]]) -> list[Outcome]:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise RuntimeError(
            "A process that executes runs was killed from outside. What was finished is kept; the same command goes on from "
            "there."
        ) from error


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool whose processes end at once when the block is left by an exception, such as Ctrl-C."""
    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_start)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    pool.shutdown()


def _start() -> None:
    """Let Ctrl-C end the process at once, so that no method returns an interrupted run as its result."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started within use one BLAS thread."""
    old = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in old.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
