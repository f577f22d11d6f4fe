"""What to run for one table or figure: a TOML file, unfolded into runs."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox.reproduce.studies.formula import resolve

_SPECS = files("orthoprox.reproduce") / "specs"


@dataclass(frozen=True)
class Run:
    """One run of one method on one instance."""

    at: dict[str, Any]  # its place in the study: {"solver": "soc", "m": 300, "seed": 0}
    settings: dict[str, Any]  # everything that determines it

    @cached_property
    def key(self) -> str:
        """A hash of the settings, by which the row of the run is found again."""
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Spec:
    """One table or figure of the paper, as its TOML file describes it.

    ``problem`` holds what all runs share and ``grid`` what varies, as lists or ranges; ``solvers``
    the methods with their parameters, numbers or formulas of m, n and L (the Lipschitz constant of
    grad l). A method with ``only`` runs on a part of the grid. ``each`` changes one parameter at a
    time, ``every`` all combinations of several. ``paper`` holds the paper's values. A spec with
    ``uses`` has no runs of its own: it draws those of another one.
    """

    id: str
    content: Mapping[str, Any]

    @property
    def title(self) -> str:
        """What it shows."""
        return str(self.content["title"])

    @property
    def reference(self) -> str:
        """Where it stands in the paper."""
        return str(self.content["reference"])

    @property
    def about(self) -> str:
        """What is run, for the reader of the report."""
        return str(self.content["about"]).strip()

    @property
    def uses(self) -> str | None:
        """The id of the spec whose runs it draws, if they are not its own."""
        return self.content.get("uses")

    @property
    def beside(self) -> str | None:
        """The id of another spec whose runs its section shows beside its own."""
        return self.content.get("beside")

    @property
    def study(self) -> str:
        """The name of the study that executes its runs."""
        return str(self.content["study"])

    @property
    def paper(self) -> Mapping[str, Any]:
        """The paper's values."""
        return dict(self.content.get("paper", {}))

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why something may differ from the paper, by topic."""
        return dict(self.content.get("reasons", {}))

    @property
    def grid(self) -> dict[str, list[Any]]:
        """What varies from instance to instance."""
        return {name: values(given) for name, given in self.content.get("grid", {}).items()}

    def varied(self, name: str) -> list[float]:
        """Return the values of a parameter that is varied."""
        return values({**self.content.get("each", {}), **self.content.get("every", {})}[name])

    def runs(self) -> list[Run]:
        """Return all runs, those on one instance together."""
        if self.uses:
            return []
        points = [dict(zip(self.grid, point, strict=True)) for point in product(*self.grid.values())]
        return [
            self._run(solver, place, parameters, point)
            for point in points
            for solver, given in self.content["solvers"].items()
            if all(point[name] in allowed for name, allowed in given.get("only", {}).items())
            for place, parameters in self._variations({name: value for name, value in given.items() if name != "only"})
        ]

    def _variations(self, parameters: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield places in the study and the parameters there."""
        each, every = self.content.get("each"), self.content.get("every", {})
        if each is not None:
            yield {"parameter": "baseline", "value": 0.0}, parameters
            for name, given in each.items():
                yield from (({"parameter": name, "value": x}, {**parameters, name: x}) for x in values(given))
            return
        for point in product(*map(values, every.values())):
            chosen = dict(zip(every, point, strict=True))
            yield chosen, {**parameters, **chosen}

    def _run(self, solver: str, place: dict[str, Any], parameters: dict[str, Any], point: dict[str, Any]) -> Run:
        problem = resolve({**self.content["problem"], **point}, point, words=("data", "start", "products"))
        settings = {
            "study": self.study,
            "problem": problem,
            "solver": solver,
            "parameters": parameters,
            **{name: self.content[name] for name in ("stop", "baseline") if name in self.content},
        }
        return Run({"solver": solver, **place, **point}, settings)


def load(name: str, *, quick: bool = False) -> Spec:
    """Return a spec by its id, with ``quick`` at its reduced size."""
    with (_SPECS / f"{inputs.choice(name, 'The id', names())}.toml").open("rb") as file:
        content = tomllib.load(file)
    reduced = content.pop("quick", {})
    return Spec(name, _merged(content, reduced) if quick else content)


def names() -> list[str]:
    """Return the ids of all specs, in the order of the paper."""
    specs = {path.name.removesuffix(".toml"): path for path in _SPECS.iterdir() if path.name.endswith(".toml")}
    return sorted(specs, key=lambda name: int(tomllib.loads(specs[name].read_text(encoding="utf-8"))["order"]))


def values(given: Any) -> list[Any]:
    """Return a list as it is; of a range ``from``, ``to``, its values by ``step``, or ``count`` of
    them at equal ratios.
    """
    if isinstance(given, list):
        return given
    if "step" in given:
        count = round((given["to"] - given["from"]) / given["step"]) + 1
        return [_rounded(given["from"] + k * given["step"]) for k in range(count)]
    return [_rounded(x) for x in np.geomspace(given["from"], given["to"], given["count"])]


def _rounded(x: float) -> float:
    return x if isinstance(x, int) else float(f"{x:.6g}")


def _merged(content: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with the changes; tables are merged, except ranges, and all else is
    replaced.
    """
    merged = dict(content)
    for name, change in changes.items():
        old = content.get(name)
        mergeable = isinstance(old, dict) and isinstance(change, dict) and "from" not in old
        merged[name] = _merged(old, change) if isinstance(old, dict) and mergeable else change
    return merged
