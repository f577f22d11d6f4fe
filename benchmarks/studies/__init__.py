"""The studies of the benchmark: each runs its tasks, makes a table of their rows and says which
targets they meet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.studies.target import Target
from benchmarks.studies.task import Row, Task

from benchmarks.studies import contest, growth, headline, polish, small, step


@dataclass(frozen=True)
class Study:
    """What a study does."""

    title: str
    run: Callable[[Task], list[Row]]  # the rows of a task
    table: Callable[[Sequence[Row]], str]
    targets: Callable[[Sequence[Row], dict[str, Any]], list[Target]]


STUDIES = {
    "step": Study("One step over its bare products", step.run, step.table, step.targets),
    "headline": Study("Two ratios over the paper's parameters", headline.run, headline.table, headline.targets),
    "pymanopt500": Study("Whole calls against pymanopt", contest.run, contest.table, contest.speed_targets),
    "families": Study("Objectives on families of data", contest.run, contest.table, contest.quality_targets),
    "small": Study("Small n: against ManPG-Ada", small.run, small.table, small.targets),
    "polish": Study("The last digits", polish.run, polish.table, polish.targets),
    "growth": Study("Growth with m, n and p", growth.run, growth.table, growth.targets),
}


def perform(task: Task) -> list[Row]:
    """Run a task and return its rows."""
    return STUDIES[task.study].run(task)
