"""The methods side by side: certificates against time."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import methods


def methods_run(name, data, seconds):
    (run,) = [r for r in load("fig-methods", quick=True).runs() if (r.at["solver"], r.at["data"]) == (name, data)]
    return {**run.settings, "stop": {**run.settings["stop"], "seconds": seconds}}


@pytest.mark.parametrize(("data", "tol"), [("five_components", 1e-8), ("compressed_modes", 1e-5)])
def test_certificates_are_recorded_until_they_are_certified(data, tol):
    """Certificates at times that grow, the last one small enough; the run leads to the same point
    without the recorder.
    """
    settings = methods_run("adaptive", data, 30.0)
    settings["stop"]["certificate"] = tol
    (outcome,) = methods.execute([settings])
    problem, X0 = methods.instance(settings)
    result = op.solve(
        problem, op.solvers.Adaptive(), X0, stop=op.stopping.Stationary(tol) | op.stopping.MaxIterations(9000), every=10**9
    )
    assert outcome["status"] == "CONVERGED"
    assert outcome["iterations"] == outcome["at_iterations"][-1] <= result.iterations
    assert outcome["projected_objective"] == pytest.approx(result.projected_objective, rel=1e-5)
    assert outcome["certificates"][-1] <= tol < min(outcome["certificates"][:-1])
    assert len(outcome["at_iterations"]) == len(outcome["at_run_cpu_seconds"]) == len(outcome["certificates"]) > 5
    assert np.all(np.diff(outcome["at_run_cpu_seconds"]) > 0)
    assert np.all(np.diff(outcome["at_iterations"]) > 0)


def test_methods_end_when_their_time_is_over():
    (outcome,) = methods.execute([methods_run("rsm", "compressed_modes", 0.05)])
    assert outcome["status"] == "TIME"
    assert 0.05 <= outcome["at_run_cpu_seconds"][-1] < 0.5
    assert outcome["at_iterations"][-1] == outcome["iterations"]


def test_methods_start_from_the_same_point_and_its_certificate_costs_them_no_time():
    """The clock stands still while a certificate is computed, here a slow one."""
    first, second = (methods.instance(methods_run(name, "five_components", 1.0)) for name in ("soc", "radmm"))
    assert np.array_equal(first[1], second[1])
    assert first[0].value(first[1]) == second[0].value(first[1])

    class Slow:
        iteration, run_seconds, certified = 0, 0.0, False

        @property
        def kkt_error(self):
            sum(k * k for k in range(3_000_000))
            return 1.0

    recorder, now = methods.Recorder(1e-8, 1e9), Slow()
    for now.iteration in range(3):
        recorder._due = 0.0
        recorder(now)
    assert recorder.curve["at_iterations"] == [0, 1, 2]
    assert recorder.curve["at_run_cpu_seconds"][-1] < 0.02
