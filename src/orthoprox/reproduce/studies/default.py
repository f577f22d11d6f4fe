"""Sparse PCA by the default call: ``minimize`` with nothing to tune and a start of its own, beside
LSALM from a random start.
"""

from collections.abc import Sequence

import orthoprox as op
from orthoprox.reproduce.studies import spca
from orthoprox.reproduce.studies.study import Outcome, Settings, outcome

CALL = "adaptive"  # the method that stands for the whole call


def execute(group: Sequence[Settings]) -> list[Outcome]:
    """Run the call, whose times are those of all its parts, or another method."""
    return [_call(settings) if settings["solver"] == CALL else spca.execute([settings])[0] for settings in group]


def _call(settings: Settings) -> Outcome:
    result = op.minimize(spca.instance(settings)[0], history=False)
    whole = {"run_seconds": result.seconds, "run_cpu_seconds": result.cpu_seconds, "iterations": result.work.gradients}
    return {**outcome(result), **whole}
