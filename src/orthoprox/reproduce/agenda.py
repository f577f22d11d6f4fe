"""What is left to do, handed out task by task, so that processes that work in one folder share
it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orthoprox.reproduce.claims import Claims
from orthoprox.reproduce.ledger import Ledger
from orthoprox.reproduce.studies.study import Outcome
from orthoprox.reproduce.task import Task, remaining


@dataclass(frozen=True)
class Job:
    """A task, what it belongs to, and where its rows go."""

    name: str
    task: Task
    ledger: Ledger


class Agenda:
    """Jobs, each done by one process. Before a job is handed out, it is claimed and what others
    have done of it is left out.

    ``advance`` is told of finished work: how many seconds it was estimated to take, and what it
    belongs to.
    """

    def __init__(self, jobs: Sequence[Job], claims: Claims, advance: Callable[[float, str], None], *, keep: bool) -> None:
        self._left, self._claims, self._advance, self._keep = list(jobs), claims, advance, keep
        self._taken: dict[str, Job] = {}

    def left(self, *, timed: bool) -> int:
        """Return how many tasks are not handed out yet."""
        return sum(job.task.timed is timed for job in self._left)

    def take(self, *, timed: bool) -> Task | None:
        """Return the next task that no other process does, with what is still due of it; None if
        there is none right now.
        """
        if not self._taken and not self._claims.take_machine(alone=timed):
            return None
        for job in [job for job in self._left if job.task.timed is timed]:
            if self._claims.take(job.task.key):
                self._left.remove(job)
                self._taken[job.task.key] = job
                if task := self._due(job):
                    return task
                self._end(job)
        if not self._taken:
            self._claims.release_machine()
        return None

    def finish(self, task: Task, outcomes: list[Outcome]) -> None:
        """Write what came of a task."""
        job = self._taken[task.key]
        job.ledger.append(task.runs, outcomes)
        self._end(job)

    def _due(self, job: Job) -> Task | None:
        job.ledger.refresh()
        task = remaining(job.task, {run.key for run in job.task.runs if job.ledger.due(run, keep=self._keep)})
        return task if task.runs else None

    def _end(self, job: Job) -> None:
        del self._taken[job.task.key]
        self._claims.release(job.task.key)
        if not self._taken:
            self._claims.release_machine()
        self._advance(job.task.seconds, job.name)
