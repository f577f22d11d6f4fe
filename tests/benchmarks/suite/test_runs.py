"""Calls are made in processes of their own, and come back with what the page needs."""

import pytest
from benchmarks.suite.cases import cases
from benchmarks.suite.runs import Way, batches, perform


def test_cases_with_the_same_data_share_a_process():
    chosen = list(cases("tuning", "iris"))
    assert [len(batch) for batch in batches(chosen, Way())] == [12, 12, 12]
    assert all(len({case.group for case in batch}) == 1 for batch in batches(chosen, Way()))
    assert [len(batch) for batch in batches(chosen[:3], Way(fresh=True))] == [1, 1, 1]


@pytest.mark.extended
def test_a_call_has_its_objective_its_units_and_its_work():
    (case,) = (case for case in cases("tuning", "iris") if (case.group, case.n, case.mu) == ("iris correlation", 2, 0.4))
    warm, bare = (perform([case], way)[0] for way in (Way(), Way(numba=False, fresh=True)))
    assert warm["converged"]
    assert warm["units"] == warm["cpu_seconds"] / warm["unit"] > 0
    assert warm["work"]["gradients"] > 0
    assert bare["objective"] == pytest.approx(warm["objective"], rel=1e-6)
