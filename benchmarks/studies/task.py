"""What there is to do: one seed of one case of one study, as bench.toml says."""

import tomllib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.instances import Instance

import orthoprox as op

SETTINGS = Path(__file__).parents[1] / "bench.toml"
Row = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """One seed of one case. Its rows are written together: it is done or not."""

    study: str
    case: str
    seed: int
    settings: dict[str, Any]  # of the case
    common: dict[str, Any]  # of the study

    @property
    def at(self) -> dict[str, Any]:
        """What tells this task from all others."""
        return {"study": self.study, "case": self.case, "seed": self.seed}

    def instance(self) -> Instance:
        """Return the problem with its random start, both drawn from the seed."""
        parts = {name: self.settings[name] for name in ("problem", "penalty", "data") if name in self.settings}
        return Instance(family=self.case, shape=tuple(self.settings["shape"]), seed=self.seed, **parts)

    def make(self) -> tuple[op.Problem, Any]:
        """Return the problem and its random start."""
        return self.instance().make()


def settings() -> dict[str, Any]:
    """Return all settings."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def tasks(study: str, part: str = "report", number: int | None = None) -> Iterator[Task]:
    """Yield the tasks of a study, on the first ``number`` of its seeds."""
    everything = settings()
    first, common = everything["first"][part], everything[study]
    number = common["seeds"] if number is None else min(number, common["seeds"])
    for seed in range(first, first + number):
        for case in common["case"]:
            for name, chosen in values(case):
                yield Task(study, name, seed, chosen, {key: value for key, value in common.items() if key != "case"})


def values(case: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a case with its name; one that varies a size with each of its values."""
    for value in case.get("at", [None]):
        chosen = deepcopy(case)
        if value is None:
            yield case["name"], chosen
            continue
        if case["vary"] == "p":
            chosen["data"]["p"] = value
        else:
            chosen["shape"]["mn".index(case["vary"])] = value
        yield f"{case['vary']} = {value}", chosen
