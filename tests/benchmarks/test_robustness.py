"""The robustness suite."""

from benchmarks import instances as suite
from benchmarks import robustness


def test_a_run_of_the_suite_counts_every_gradient():
    """A run's count exceeds its iterations: set-up, measurements and certificates are in it."""
    one = next(one for one in suite.instances("tuning") if one.family == "random quadratic")
    row = robustness.run(one, "adaptive")
    assert row.converged
    assert row.iterations + 10 < row.gradients < row.iterations + 200
    assert row.objective < row.start
    assert "1 of 1 converge" in robustness.findings([row])
