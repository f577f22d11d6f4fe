"""The kinds of runs, by name: how they are executed, together with which others, and how long they take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orthoprox.reproduce.studies import matching, methods, quadratics, spca
from orthoprox.reproduce.studies.study import Outcome, Settings

_SECONDS = {"manpg-ada": 8.0, "soc": 8.0, "radmm": 8.0, "lsalm": 4.0, "pamal": 60.0}  # sparse PCA at m = 300, on one core


@dataclass(frozen=True)
class Study:
    """One kind of run.

    ``execute`` takes the settings of runs that are done together and returns one outcome for each; ``seconds`` estimates
    the time of a run on one core. Timed runs have the machine to themselves. ``group`` names the runs that cannot be done
    without each other; without it they are split as the cores of the machine suggest.
    """

    execute: Callable[[Sequence[Settings]], list[Outcome]]
    seconds: Callable[[Settings], float]
    timed: bool
    group: Callable[[Settings], str] | None = None


def _growing(settings: Settings) -> float:
    return _SECONDS[settings["solver"]] * float((settings["problem"]["m"] / 300) ** 3.5)


STUDIES: dict[str, Study] = {
    "quadratics": Study(
        quadratics.execute,
        seconds=lambda settings: 3e-4 * settings["problem"]["m"] * settings["problem"]["n"],
        timed=False,
    ),
    "spca": Study(spca.execute, seconds=_growing, timed=True),
    "spca_compared": Study(
        spca.execute_compared,
        seconds=lambda settings: _growing(settings) / 4,
        timed=True,
        group=lambda settings: repr(settings["problem"]),
    ),
    "matching": Study(matching.execute, seconds=lambda settings: 1.5, timed=True),
    "methods": Study(methods.execute, seconds=lambda settings: 0.6 * settings["stop"]["seconds"], timed=True),
}
