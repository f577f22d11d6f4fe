"""Runs that are done together."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from orthoprox.reproduce.spec import Run
from orthoprox.reproduce.studies import STUDIES

_SHARES = 32  # of the untimed runs of a study, on every machine alike, so that processes agree on them
_LEAST = 25  # runs of a share, which are done faster together


@dataclass(frozen=True)
class Task:
    """Runs that are done together, claimed by the key of the share of the study to which they
    belong.
    """

    study: str
    runs: tuple[Run, ...]
    key: str

    @property
    def timed(self) -> bool:
        """Whether it must have the machine to itself."""
        return STUDIES[self.study].timed

    @property
    def whole(self) -> bool:
        """Whether its runs cannot be done without each other."""
        return STUDIES[self.study].group is not None

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return sum(STUDIES[self.study].seconds(run.settings) for run in self.runs)


def tasks(runs: Sequence[Run], due: Container[str]) -> list[Task]:
    """Return the tasks of a study in which a run is due, by its key: groups as a whole, of other
    shares what is due.
    """
    if not runs:
        return []
    name = runs[0].settings["study"]
    found = [Task(name, share, share[0].key) for share in _shares(runs)]
    return [part for part in (remaining(task, due) for task in found) if part.runs]


def remaining(task: Task, due: Container[str]) -> Task:
    """Return a task with the runs that are due; if any is, with all that it cannot be done
    without.
    """
    left = tuple(run for run in task.runs if run.key in due)
    return Task(task.study, task.runs if left and task.whole else left, task.key)


def _shares(runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    """Return the groups of a study; its single runs if they are timed; else equal shares."""
    study = STUDIES[runs[0].settings["study"]]
    if study.group is not None:
        groups: dict[str, list[Run]] = {}
        for run in runs:
            groups.setdefault(study.group(run.settings), []).append(run)
        return [tuple(group) for group in groups.values()]
    size = 1 if study.timed else max(_LEAST, -(-len(runs) // _SHARES))
    return [tuple(runs[k : k + size]) for k in range(0, len(runs), size)]
