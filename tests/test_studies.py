"""What the studies run: starts, baselines and rounding, as the paper describes them."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox._linalg.stiefel import polar, tangent
from orthoprox.assignment import assign, f_measure
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import matching, methods, spca


@pytest.mark.parametrize(("kind", "project"), [("tangent", tangent), ("euclidean", lambda X, W: W)])
def test_the_subgradient_start_takes_steps_of_length_k_to_the_minus_three_quarters(kind, project):
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 20), 4, 0.5)
    X = X0 = op.stiefel.random_point(20, 4, seed=1)
    for k in (1, 2, 3):
        X = polar(X - k**-0.75 * project(X, problem.smooth.grad(X) + 0.5 * np.sign(X)))
    assert np.allclose(spca.subgradient_start(problem, X0, 3, kind), X, rtol=0, atol=1e-12)


def test_methods_stop_when_they_reach_the_objective_of_the_baseline_and_not_before():
    runs = [run for run in load("table-spca-rsm", quick=True).runs() if run.at["m"] == 100 and run.at["seed"] == 0]
    outcomes = dict(zip([run.at["solver"] for run in runs], spca.execute_compared([run.settings for run in runs]), strict=True))
    target = outcomes["manpg-ada"]["objective"] + 1e-4
    for name in ("soc", "radmm", "lsalm"):
        assert outcomes[name]["status"] == "CONVERGED"
        assert outcomes[name]["objective"] <= target
        assert outcomes[name]["iterations"] > 10
        assert 0 < outcomes[name]["distance"] < 0.1
    assert outcomes["lsalm"]["feasibility"] <= 1e-4
    assert outcomes["manpg-ada"]["distance"] == 0


def test_the_f_measure_of_a_matching_is_that_of_the_rounded_solution():
    (run,) = [run for run in load("table-matching", quick=True).runs() if run.at["solver"] == "rgd" and run.at["seed"] == 0]
    settings = {**run.settings, "problem": {**run.settings["problem"], "data": "synthetic_house"}}
    (outcome,) = matching.execute([settings])
    house = op.datasets.synthetic_house()
    problem = op.problems.graph_matching(house[0], house[29], 2.0)
    X0 = matching.gradient_start(problem, 0, 10, 0.1)
    method = op.solvers.RGD(trial="restart", step_size=0.1, shrink=0.5, decrease=0.5)
    X = op.solve(problem, method, X0, stop=op.stopping.paper.matching).X
    assert outcome["f_measure"] == f_measure(assign(X))
    assert outcome["permutation"] == (len(set(np.argmax(X, axis=1).tolist())) == 30)
    assert outcome["objective"] == pytest.approx(float(problem.value(X)), rel=1e-12)


def test_the_start_of_a_matching_is_that_of_fixed_riemannian_gradient_steps():
    house = op.datasets.synthetic_house(points=8)
    problem = op.problems.graph_matching(house[0], house[40], 2.0)
    X = op.stiefel.random_point(8, 8, np.random.default_rng(3))
    for _ in range(2):
        X = polar(X - 0.1 * tangent(X, problem.smooth.grad(X)))
    assert np.array_equal(matching.gradient_start(problem, 3, 2, 0.1), X)


def methods_run(name, data, seconds):
    (run,) = [r for r in load("fig-methods", quick=True).runs() if (r.at["solver"], r.at["data"]) == (name, data)]
    return {**run.settings, "stop": {**run.settings["stop"], "seconds": seconds}}


@pytest.mark.parametrize("data", ["five_components", "compressed_modes"])
def test_methods_are_watched_until_they_are_certified(data):
    """Certificates at times that grow, the last one small enough; the run leads to the same point without the watch."""
    settings = methods_run("adaptive", data, 30.0)
    (outcome,) = methods.execute([settings])
    problem, X0 = methods.instance(settings)
    result = op.solve(problem, op.solvers.Adaptive(), X0, stop=op.stopping.Stationary(1e-8), every=10**9)
    assert outcome["status"] == "CONVERGED"
    assert outcome["iterations"] == outcome["at_iterations"][-1] <= result.iterations
    assert outcome["projected_objective"] == pytest.approx(result.projected_objective, rel=1e-7)
    assert outcome["certificates"][-1] <= 1e-8 < min(outcome["certificates"][:-1])
    assert len(outcome["at_iterations"]) == len(outcome["at_seconds"]) == len(outcome["certificates"]) > 10
    assert np.all(np.diff(outcome["at_seconds"]) > 0)
    assert np.all(np.diff(outcome["at_iterations"]) > 0)


def test_methods_end_when_their_time_is_over():
    (outcome,) = methods.execute([methods_run("rsm", "compressed_modes", 0.05)])
    assert outcome["status"] == "TIME"
    assert 0.05 <= outcome["at_seconds"][-1] < 0.5
    assert outcome["at_iterations"][-1] == outcome["iterations"]


def test_methods_start_from_the_same_point_and_its_certificate_costs_them_no_time():
    """The clock stands still while a certificate is computed, here a slow one."""
    first, second = (methods.instance(methods_run(name, "five_components", 1.0)) for name in ("soc", "radmm"))
    assert np.array_equal(first[1], second[1])
    assert first[0].value(first[1]) == second[0].value(first[1])

    class Slow:
        iteration, seconds, certified = 0, 0.0, False

        @property
        def kkt_error(self):
            sum(k * k for k in range(3_000_000))
            return 1.0

    watch, now = methods.Watch(1e-8, 1e9), Slow()
    for now.iteration in range(3):
        watch._due = 0.0
        watch(now)
    assert watch.curve["at_iterations"] == [0, 1, 2]
    assert watch.curve["at_seconds"][-1] < 0.02
