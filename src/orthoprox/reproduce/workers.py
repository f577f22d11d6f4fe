"""Runs in processes of their own: untimed ones on all cores, timed ones alone, each with one BLAS
thread.
"""

import traceback
from concurrent.futures import FIRST_COMPLETED, Future, wait
from time import sleep

from orthoprox._run.workers import WorkerError, Workers, cores
from orthoprox.reproduce.agenda import Agenda
from orthoprox.reproduce.studies import STUDIES
from orthoprox.reproduce.studies.study import Outcome, Settings
from orthoprox.reproduce.task import Task
from orthoprox.stopping.clock import Deadline

_PAUSE = 0.5  # seconds until it is asked again whether other processes have left something to do


def work(agenda: Agenda) -> None:
    """Execute all that is on the agenda, the timed tasks after the others and one by one.

    A task that raises is done as well: its outcomes have the status ERROR and the message. This
    returns when other processes have done their share, too, or have ended without doing it, and it
    was done here.
    """
    for timed, number in ((False, cores()), (True, 1)):
        if count := agenda.left(timed=timed):
            _work(agenda, timed, min(number, count))


def _work(agenda: Agenda, timed: bool, number: int) -> None:
    with Workers(number) as pool:
        running: dict[Future[list[Outcome]], Task] = {}
        while agenda.left(timed=timed) or running:
            while len(running) < number and (task := agenda.take(timed=timed)) is not None:
                running[pool.submit(_execute, task.study, [run.settings for run in task.runs])] = task
            if not running:
                sleep(_PAUSE)
            for future in wait(running, _PAUSE, FIRST_COMPLETED).done:
                agenda.finish(running.pop(future), _outcomes(future))


def _execute(_: Deadline, study: str, group: list[Settings]) -> list[Outcome]:
    try:
        return STUDIES[study].execute(group)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return [{"status": "ERROR", "message": message, "trace": traceback.format_exc()} for _ in group]


def _outcomes(future: Future[list[Outcome]]) -> list[Outcome]:
    try:
        return future.result()
    except WorkerError as error:
        raise RuntimeError(
            "A process that executes runs was killed from outside. What was finished is kept; the same command goes on from "
            "there."
        ) from error
