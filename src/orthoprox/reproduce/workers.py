"""Runs in processes of their own: untimed ones on all cores, timed ones alone, each with one BLAS thread."""

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from orthoprox._run.pool import cores, processes
from orthoprox.reproduce.spec import Run
from orthoprox.reproduce.studies import STUDIES
from orthoprox.reproduce.studies.study import Outcome, Settings

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
    for timed, number in ((False, cores()), (True, 1)):
        chosen = [task for task in todo if task.timed is timed]
        if not chosen:
            continue
        with processes(min(number, len(chosen))) as pool:
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
