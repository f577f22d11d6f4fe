"""The commands that make the rows of a report."""

from collections.abc import Mapping, Sequence, Set

from orthoprox.reproduce.condition import Condition
from orthoprox.reproduce.spec import Run

Parts = Mapping[str, tuple[Sequence[Run], Set[str]]]  # of each study: its runs, and the keys of those that are there


def commands(parts: Parts, *, quick: bool = False) -> list[str]:
    """Return the commands that make what is there of some studies, those on the same part of the
    runs together. Rows that no upper bounds of coordinates describe are made with all others.
    """
    groups: dict[str, list[str]] = {}
    for name, (runs, there) in parts.items():
        for part in _parts(runs, there):
            groups.setdefault(part, []).append(name)
    call = "orthoprox reproduce" + (" --quick" if quick else "")
    return [" ".join(filter(None, (call, *names, part))) for part, names in groups.items()]


def _parts(runs: Sequence[Run], there: Set[str]) -> list[str]:
    """Return the options that select the runs that are there: upper bounds that hold together, or
    such of which each selects a part of them. None are needed for all runs, and none are known for
    runs that bounds do not describe.
    """
    names = _coordinates(runs)
    box = [Condition(name, "<=", max(run.at[name] for run in runs if run.key in there)) for name in names]
    box = [condition for condition in box if not all(map(condition.holds, runs))]
    if _met(runs, box) == there:
        return [" ".join(f"--where '{condition}'" for condition in box)]
    steps = [Condition(name, "<=", below) for name in names if (below := _below(runs, there, name)) is not None]
    steps = [step for step in steps if not any(_met(runs, [step]) < _met(runs, [other]) for other in steps)]
    covered = set[str]().union(*(_met(runs, [step]) for step in steps))
    return [f"--where '{step}'" for step in steps] if covered == there else [""]


def _met(runs: Sequence[Run], conditions: Sequence[Condition]) -> set[str]:
    """Return the keys of the runs that meet all of some conditions."""
    return {run.key for run in runs if all(condition.holds(run) for condition in conditions)}


def _below(runs: Sequence[Run], there: Set[str], name: str) -> float | None:
    """Return the largest value of a coordinate up to which all runs are there."""
    least = min((run.at[name] for run in runs if run.key not in there), default=float("inf"))
    return max((run.at[name] for run in runs if run.at[name] < least), default=None)


def _coordinates(runs: Sequence[Run]) -> list[str]:
    """Return the names of the coordinates that are numbers in all runs, the last first: a seed is
    told before a size.
    """
    numbers = [{name for name, value in run.at.items() if not isinstance(value, str)} for run in runs]
    return [name for name in reversed(runs[0].at) if all(name in known for known in numbers)]
