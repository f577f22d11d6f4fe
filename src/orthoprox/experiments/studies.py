"""The kinds of runs, by name: how they are executed, together with which others, and how long they take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orthoprox.experiments import matching, quadratics, spca
from orthoprox.experiments.study import Outcome, Settings

_SECONDS = {"manpg-ada": 8.0, "soc": 8.0, "radmm": 8.0, "lsalm": 4.0, "pamal": 60.0}  # sparse PCA at m = 300, as seen


@dataclass(frozen=True)
class Study:
    """One kind of run.

    ``execute`` takes the settings of runs that are done together and returns one outcome for each; ``group`` names what a
    run is done together with; ``seconds`` estimates its time. Timed runs have the machine to themselves.
    """

    execute: Callable[[Sequence[Settings]], list[Outcome]]
    group: Callable[[Settings], object]
    seconds: Callable[[Settings], float]
    timed: bool
    most: int = 1_000_000  # runs that are done together


def _quarter(settings: Settings) -> int:
    """Instances are drawn once for each group, so that runs on one of them belong together."""
    return int(settings["problem"]["seed"]) % 4


def _growing(settings: Settings) -> float:
    return _SECONDS[settings["solver"]] * float((settings["problem"]["m"] / 300) ** 3.5)


STUDIES: dict[str, Study] = {
    "quadratics": Study(
        quadratics.execute,
        group=_quarter,
        seconds=lambda settings: 1e-4 * settings["problem"]["m"] * settings["problem"]["n"],
        timed=False,
        most=12_000,
    ),
    "spca": Study(spca.execute, group=repr, seconds=_growing, timed=True),
    "spca_compared": Study(
        spca.execute_compared,
        group=lambda settings: repr(settings["problem"]),
        seconds=lambda settings: _growing(settings) / 4,
        timed=True,
    ),
    "matching": Study(matching.execute, group=repr, seconds=lambda settings: 1.0, timed=True),
}
