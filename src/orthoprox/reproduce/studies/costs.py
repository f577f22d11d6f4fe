"""What an iteration costs on sparse PCA with products over all entries of X, and how much of it is
the polar factor.
"""

from collections.abc import Sequence
from cProfile import Profile
from time import process_time

import orthoprox as op
from orthoprox._linalg import stiefel
from orthoprox._linalg.products import dense
from orthoprox.reproduce.studies import spca
from orthoprox.reproduce.studies.study import NEVER, Outcome, Settings, outcome, rule, solver


def execute(group: Sequence[Settings]) -> list[Outcome]:
    """Run the methods from a random start, and take the share of their time that they are in
    ``stiefel.polar``.
    """
    outcomes = []
    for settings in group:
        problem, X0 = spca.instance(settings)
        method, stop, profile = solver(settings, problem), rule(settings["stop"], problem), Profile(process_time)
        with dense():
            result = profile.runcall(op.solve, problem, method, X0, stop=stop, every=NEVER)
        polar = sum(entry.totaltime for entry in profile.getstats() if entry.code is stiefel.polar.__code__)
        outcomes.append({**outcome(result), "polar_share": polar / result.run_cpu_seconds})
    return outcomes
