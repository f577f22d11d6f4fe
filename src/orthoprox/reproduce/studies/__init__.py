"""The kinds of runs, by name: how they are executed, together with which others, and how long they
take.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orthoprox.reproduce.entry import NUMBERS, Kind
from orthoprox.reproduce.studies import costs, default, matching, methods, quadratics, spca
from orthoprox.reproduce.studies.study import Outcome, Settings

_NUMBER = float | None  # JSON has no infinity
_MEASURED: dict[str, Kind] = {  # of a result, as ``outcome`` returns it
    "iterations": int,
    "run_seconds": float,
    "run_cpu_seconds": float,
    **dict.fromkeys(("objective", "projected_objective", "feasibility", "stationarity", "sparsity", "upper"), _NUMBER),
}
_SECONDS = {
    "manpg-ada": 8.0,
    "soc": 8.0,
    "radmm": 8.0,
    "lsalm": 4.0,
    "pamal": 60.0,
    "adaptive": 0.5,
}  # sparse PCA at m = 300, on one core


@dataclass(frozen=True)
class Study:
    """One kind of run.

    ``execute`` takes the settings of runs that are done together and returns one outcome for each;
    ``seconds`` estimates the time of a run on one core. Timed runs have the machine to themselves.
    ``group`` names the runs that cannot be done without each other; without it they are split into
    equal shares. ``fields`` are what an outcome holds, by name; those in ``recorded`` only of runs
    that are recorded on the way.
    """

    execute: Callable[[Sequence[Settings]], list[Outcome]]
    seconds: Callable[[Settings], float]
    timed: bool
    fields: Mapping[str, Kind]
    recorded: Mapping[str, Kind] = field(default_factory=dict)
    group: Callable[[Settings], str] | None = None


def _growing(settings: Settings) -> float:
    return _SECONDS[settings["solver"]] * float((settings["problem"]["m"] / 300) ** 3.5)


STUDIES: dict[str, Study] = {
    "quadratics": Study(
        quadratics.execute,
        seconds=lambda settings: 3e-4 * settings["problem"]["m"] * settings["problem"]["n"],
        timed=False,
        fields={"iterations": int, "zero_columns": int},
        recorded={
            "feasibility": _NUMBER,
            "floor": _NUMBER,
            **dict.fromkeys(("at_iterations", "update", "constraint"), NUMBERS),
        },
    ),
    "spca": Study(spca.execute, seconds=_growing, timed=True, fields=_MEASURED),
    "spca_compared": Study(
        spca.execute_compared,
        seconds=lambda settings: _growing(settings) / 4,
        timed=True,
        fields={**_MEASURED, "distance": float, "start_objective": float},
        group=lambda settings: repr(settings["problem"]),
    ),
    "costs": Study(
        costs.execute,
        seconds=lambda settings: _growing(settings) / 4,
        timed=True,
        fields={**_MEASURED, "polar_share": float},
    ),
    "default": Study(default.execute, seconds=_growing, timed=True, fields=_MEASURED),
    "matching": Study(
        matching.execute,
        seconds=lambda settings: 1.5,
        timed=True,
        fields={**_MEASURED, "f_measure": float, "permutation": bool},
    ),
    "methods": Study(
        methods.execute,
        seconds=lambda settings: 0.6 * settings["stop"]["seconds"],
        timed=True,
        fields={**_MEASURED, **dict.fromkeys(("at_iterations", "at_run_cpu_seconds", "certificates"), NUMBERS)},
    ),
}


def fields(settings: Settings) -> dict[str, Kind]:
    """Return what the outcome of a run holds beside its status."""
    study = STUDIES[settings["study"]]
    return {**study.fields, **(study.recorded if "records" in settings["stop"] else {})}
