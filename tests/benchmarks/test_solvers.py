"""The time of an iteration over that of its operations: every method is measured, and all of its
work is counted.
"""

from collections import Counter

import pytest

import orthoprox as op
from benchmarks import solvers
from orthoprox._linalg import stiefel
from orthoprox.solvers import SOLVERS


@pytest.mark.parametrize("name", SOLVERS)
def test_benchmark_measures_every_method(name):
    row = solvers.measure(name, (20, 4), warm_up=1, repetitions=2)
    assert row.iteration > 0
    assert row.bare > 0
    assert set(row.work) >= set(SOLVERS[name].facts.work)
    assert f"| {name} " in solvers.report([row])


def test_the_benchmark_counts_what_a_subproblem_adds():
    """An iteration of ManPG evaluates the prox, which its facts leave to the subproblem; LSALM does
    only what they list.
    """
    assert solvers.measure("manpg", (20, 4), warm_up=1, repetitions=1).work["prox"] > 0
    assert solvers.measure("lsalm", (20, 4), warm_up=1, repetitions=1).work == SOLVERS["lsalm"].facts.work


@pytest.mark.parametrize("name", ["amanpg", "rpg", "rpn-cg", "almssn"])
def test_the_benchmark_counts_what_remarks_tell(name, monkeypatch):
    """Gradients and retractions of an iteration, counted one by one, are those of its line: with a
    safeguard or without.
    """
    made = Counter()

    def counting(kind, attribute, what):
        function = getattr(kind, attribute)
        monkeypatch.setattr(kind, attribute, lambda *given: (made.update([what]), function(*given))[1])

    solver, problem = SOLVERS[name](), op.problems.sparse_pca(op.datasets.five_components(50, 20), 4, 0.5)
    counting(type(problem.smooth), "_curved", "gradient")  # with or without the value
    counting(stiefel, "polar", "polar")
    state = solver.init(problem, op.stiefel.random_point(20, 4))
    seen = set()
    for _ in range(80):
        made.clear()
        state = solver.step(problem, state)
        work = solvers.count(solver, state, 0)
        assert work["polar"] == made["polar"] or name == "almssn"  # which has QR steps
        assert work["gradient"] == made["gradient"]
        seen.add(tuple(solvers.further(solver, state).items()))
    assert len(seen) > 1
