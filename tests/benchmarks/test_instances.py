"""The instances of the robustness suite."""

import numpy as np

from benchmarks import instances as suite


def test_the_robustness_suite_has_what_it_was_made_for():
    """At least 300 reported instances, none of a seed that was tuned on; families, shapes and
    scales of all kinds.
    """
    reported, tuned = list(suite.instances("report")), list(suite.instances("tuning"))
    assert len(reported) >= 300
    assert min(one.seed for one in reported) >= 1000
    assert max(one.seed for one in tuned) <= 9
    assert {"five components", "AR(1)", "raw counts", "compressed modes", "l21", "MCP", "SCAD"} <= {
        one.family for one in reported
    }
    assert {1e-6, 1e6} <= {one.scale for one in reported}
    assert any(one.shape[0] == one.shape[1] for one in reported)
    assert any(one.shape[1] == 1 for one in reported)
    assert {suite.tolerance(one) for one in reported} == {1e-5, 1e-4}


def test_every_reported_case_makes_a_problem_with_a_start_on_the_manifold():
    for one in suite.instances("report"):
        if one.seed == 1000:
            problem, X0 = one.make()
            assert X0.dtype == one.dtype
            assert X0.shape == problem.shape
            assert abs(X0.T @ X0 - np.eye(X0.shape[1])).max() <= 1e-5
