"""Comparisons of rows: quantiles of times, objectives against others."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from benchmarks.studies.task import Row

Objectives = Mapping[str, float]  # by the name of the problem
KINDS = {"tables": "tables", "modes": "compressed modes", "families": "families", "large": "larger problems"}


def problem(row: Row) -> str:
    """Return the name of what was solved: of compressed modes without the seed of their start."""
    return row["case"].partition(", seed")[0] if row["study"] == "modes" else str(row["case"])


def gap(objective: float, other: float) -> float:
    """Return by what share an objective is above another one."""
    return (objective - other) / abs(other)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest of the values which so many are not above."""
    return sorted(values)[ceil(share * len(values)) - 1]


def lowest(rows: Iterable[Row]) -> dict[str, float]:
    """Return the lowest objective of each problem."""
    found: dict[str, float] = {}
    for row in rows:
        if row["objective"] is not None:
            found[problem(row)] = min(row["objective"], found.get(problem(row), row["objective"]))
    return found


def gaps(rows: Iterable[Row], others: Objectives) -> list[float]:
    """Return the gaps of rows to the objectives of others, on the cases that both have."""
    return [gap(row["objective"], others[problem(row)]) for row in rows if problem(row) in others]


def count(rows: Iterable[Row], others: Objectives, same: float) -> tuple[str, str]:
    """Return on how many cases rows are not above others by more than a share, and on how many they
    are below by more.
    """
    found = gaps(rows, others)
    kept, below = sum(one <= same for one in found), sum(one < -same for one in found)
    return f"{kept} of {len(found)}", f"{below} of {len(found)}"


def groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each kind and part, by a title; compressed modes are the same in both
    parts, but for their random starts.
    """
    found: dict[str, list[Row]] = {}
    for kind, words in KINDS.items():
        for row in (row for row in rows if row["study"] == kind):
            start = ", random starts" if row["start"] == "random" else ""
            part = (
                f", {row['parts'][0].replace('heldout', 'held out').replace('second', 'second held out')}"
                if len(row["parts"]) == 1
                else ""
            )
            found.setdefault(f"{words}{start}{part}", []).append(row)
    return found
