"""Starts, the search among them, several at once, and paths along the weight of a penalty."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import orthoprox as op
from cases import NONSMOOTH, SHAPE, SMOOTH, normal, symmetric
from orthoprox import starts as starting
from orthoprox._run import multistart
from orthoprox._run.multistart import solve_from
from orthoprox.nonsmooth import L1, L21, MCP, SCAD, Nonnegative, Zero
from orthoprox.smooth import Function, Quadratic, Variance
from orthoprox.starts import STARTS, coordinates, pca, smoothed
from orthoprox.starts import search as searching
from orthoprox.starts.search import search
from orthoprox.stopping import MaxIterations, Stationary, Status

every_start = pytest.mark.parametrize("name", STARTS)


def rng(seed=0):
    return np.random.default_rng(seed)


def sparse_pca(m=20, n=4, mu=0.5, p=60, dtype=np.float64):
    return op.Problem(Variance(normal(0, p, m).astype(dtype)), L1(mu), (m, n))


@every_start
@pytest.mark.parametrize("term", SMOOTH)
def test_every_start_is_on_the_manifold_and_repeatable(name, term):
    problem = op.Problem(SMOOTH[term], NONSMOOTH["L1"], SHAPE)
    X = STARTS[name](problem, rng(3))
    assert op.metrics.feasibility(X) < 1e-12
    np.testing.assert_array_equal(X, STARTS[name](problem, rng(3)))


@every_start
@pytest.mark.parametrize("term", NONSMOOTH)
def test_every_start_works_with_every_penalty(name, term):
    X = STARTS[name](op.Problem(SMOOTH["Quadratic linear"], NONSMOOTH[term], SHAPE), rng())
    assert op.metrics.feasibility(X) < 1e-12


@every_start
def test_starts_keep_the_precision_of_the_data(name):
    assert STARTS[name](sparse_pca(dtype=np.float32), rng()).dtype == np.float32


def test_pca_is_near_the_principal_components():
    """With a clear gap the subspace is that of the largest eigenvectors, but for the jitter of a tenth."""
    A = normal(0, 50, 12) * np.array([9.0, 8, 7, *[1.0] * 9])
    X = pca(op.Problem(Variance(A), L1(0.1), (12, 3)), rng())
    V = np.linalg.eigh(A.T @ A)[1][:, -3:]
    assert np.linalg.norm(V.T @ X, 2) <= 1 + 1e-12
    assert np.linalg.svd(V.T @ X)[1].min() > 0.97
    assert np.linalg.norm(np.abs(V[:, ::-1].T @ X) - np.eye(3)) < 0.4  # the eigenvectors themselves, not a rotation


def test_pca_goes_down_where_the_power_method_would_not():
    """For a convex quadratic with a linear part, the minimiser of l on the manifold is near."""
    C = symmetric(1, 8)
    ell = Quadratic(C @ C + np.eye(8), 5 * normal(2, 8, 2))
    X = pca(op.Problem(ell, L1(0.1), (8, 2)), rng())
    best = op.minimize(op.Problem(ell, Zero(), (8, 2)), "random").objective
    start = float(ell.value(op.stiefel.random_point(8, 2, seed=0)))
    assert float(ell.value(X)) < best + 0.2 * (start - best)


def test_coordinates_are_those_of_a_pivoted_qr_factorisation():
    from scipy.linalg import qr

    A = normal(0, 40, 15) @ np.diag(np.linspace(1, 3, 15)) @ (np.eye(15) + 0.3 * normal(1, 15, 15))
    X = coordinates(op.Problem(Variance(A), L1(0.1), (15, 6)), rng())
    assert set(np.unique(X)) == {0.0, 1.0}
    assert list(np.argmax(X, axis=0)) == list(qr(A, pivoting=True)[2][:6])


def test_coordinates_find_the_curvature_of_a_function_of_ones_own():
    A = normal(0, 40, 15)
    own = Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X))
    for n in (1, 4, 15):
        built_in = coordinates(op.Problem(Variance(A), L1(0.1), (15, n)), rng())
        np.testing.assert_array_equal(built_in, coordinates(op.Problem(own, L1(0.1), (15, n)), rng()))


def test_coordinates_need_a_finite_gradient():
    log = Function(lambda X: -np.sum(np.log(X**2)), lambda X: -2 / X)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="not finite at 0"):
        coordinates(op.Problem(log, L1(0.1), (6, 2)), rng())


def test_smoothed_is_lower_than_random():
    problem = sparse_pca()
    assert problem.value(smoothed(problem, rng())) < problem.value(STARTS["random"](problem, rng()))


# --- the search -------------------------------------------------------------------------------------------------------


def test_the_search_takes_the_candidate_whose_probe_ends_lowest(monkeypatch):
    problem, points = sparse_pca(), {}
    for seed, name in enumerate(["coordinates", "pca", "random", "smoothed"]):
        points[name] = op.stiefel.random_point(20, 4, seed=seed)
        monkeypatch.setattr(searching, name, lambda problem, rng, X=points[name]: X, raising=False)
    monkeypatch.setattr(searching, "near_coordinates", lambda problem, rng: [points["coordinates"]])
    probe_values = {name: searching.probe_value(problem, X) for name, X in points.items()}
    ranked = sorted(probe_values, key=probe_values.get)
    assert search(problem, rng())[0] is points[ranked[0]]
    monkeypatch.setattr(searching, "PATH", 1e9)  # too dear for the path of smoothed problems
    assert search(problem, rng())[0] is points[min(["coordinates", "pca", "random"], key=probe_values.get)]
    two = search(problem, rng(), 2)  # pca and random are tried twice, and are the same point here
    assert two[0] is points[ranked[0]]
    assert any(two[1] is points[name] for name in ranked[:2])


def test_a_probe_measures_f_on_the_manifold():
    problem = sparse_pca()
    probe_value = searching.probe_value(problem, STARTS["random"](problem, rng()))
    assert probe_value >= op.minimize(problem, n_starts=1).objective - 1e-6
    assert probe_value < problem.value(STARTS["random"](problem, rng()))


@pytest.mark.parametrize(("n", "name"), [(300, "coordinates"), (3, "pca")])
def test_large_problems_are_not_probed(monkeypatch, n, name):
    monkeypatch.setattr(searching, "WORK", 0.0)
    monkeypatch.setattr(searching, "probe_value", None)
    problem = sparse_pca(m=800 if n == 300 else 40, n=n, p=5)
    expected = STARTS[name]
    rng_after_probe = rng(1)
    STARTS["random"](problem, rng_after_probe)
    np.testing.assert_array_equal(search(problem, rng(1))[0], expected(problem, rng_after_probe))


def test_few_columns_of_many_rows_are_not_searched_for_coordinates(monkeypatch):
    monkeypatch.setattr(starting, "coordinates", None)
    assert len(search(sparse_pca(m=40, n=1), rng())) == 1


def test_the_search_does_without_coordinates_where_l_is_not_finite_there():
    log = Function(lambda X: np.sum(np.log(X**2 + 1e-300)), lambda X: 2 * X / (X**2 + 0.0))
    with np.errstate(all="ignore"):
        assert len(search(op.Problem(log, L1(0.1), (6, 2)), rng())) == 1


def test_auto_is_no_worse_than_its_candidates_on_sparse_components():
    """The default start finds at least as good a minimum as each candidate alone, within 2 %."""
    problem = op.problems.sparse_pca(op.datasets.five_components(200, 60, seed=1), 30, 0.5)
    objectives = {name: op.minimize(problem, name, tol=1e-5).projected_objective for name in ("random", "pca", "coordinates")}
    best = min(objectives.values())
    assert op.minimize(problem, tol=1e-5).projected_objective <= best + 0.02 * abs(best)


# --- several starts ---------------------------------------------------------------------------------------------------


def test_several_starts_return_the_best_of_their_runs():
    problem, rule = sparse_pca(m=12, n=3), Stationary(1e-6) | MaxIterations(5000)
    starts = [op.stiefel.random_point(12, 3, seed=seed) for seed in range(4)]
    alone = [op.solve(problem, op.solvers.Adaptive(), X0, stop=rule) for X0 in starts]
    best = solve_from(problem, op.solvers.Adaptive(), starts, lambda turns: rule, history=True)
    assert best.projected_objective == min(result.projected_objective for result in alone)
    assert best.problem is problem


def test_what_cannot_travel_runs_in_this_process():
    A = normal(0, 30, 10)
    problem = op.Problem(Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X)), L1(0.5), (10, 2))
    assert op.minimize(problem, "random", n_starts=3).converged


def test_a_run_that_converged_is_preferred(monkeypatch):
    """Even to a lower one that did not."""
    ends = iter([(False, -3.0), (True, -1.0), (True, -2.0)])

    def run(*_):
        converged, objective = next(ends)
        return SimpleNamespace(converged=converged, projected_objective=objective, status=None)

    monkeypatch.setattr(multistart, "cores", lambda: 1)
    monkeypatch.setattr(multistart, "_run", run)
    best = solve_from(sparse_pca(), op.solvers.Adaptive(), [0, 1, 2], lambda turns: MaxIterations(1), history=False)
    assert best.projected_objective == -2.0


def test_where_processes_do_not_come_up_runs_are_done_in_turn():
    """As in a program that is read from a pipe, whose main part other processes cannot find."""
    program = "import orthoprox as op; A = op.datasets.five_components(50, 12, seed=0); p = op.problems.sparse_pca(A, 2, 0.5)\n"
    program += "print(op.minimize(p, 'random', n_starts=3).converged)\n"
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_an_interrupt_ends_all_runs_in_turn():
    """The second is interrupted, the third never begins, and the best point so far is returned as interrupted."""
    begun, calls, A = [], [], normal(0, 30, 10)

    def grad(X):
        calls.append(len(begun))
        if calls.count(3) == 30:  # in the second run, after a look whether they can travel
            raise KeyboardInterrupt
        return -2 * A.T @ (A @ X)

    problem = op.Problem(Function(lambda X: -np.sum((A @ X) ** 2), grad), L1(0.5), (10, 2))
    starts = [op.stiefel.random_point(10, 2, seed=seed) for seed in range(3)]
    rule = lambda turns: begun.append(turns) or Stationary(1e-6) | MaxIterations(5000)  # noqa: E731
    best = solve_from(problem, op.solvers.Adaptive(), starts, rule, history=False)
    assert begun == [1, 3, 2]
    assert best.status is Status.INTERRUPTED


@pytest.mark.parametrize(("cores", "turns"), [(1, [3, 2, 1]), (2, [1, 2]), (4, [1, 1])])
def test_runs_that_wait_for_each_other_share_the_time(monkeypatch, cores, turns):
    """One after the other each knows how many are to come; in processes all know the queue, after a look whether they can."""
    told = []
    monkeypatch.setattr(multistart, "cores", lambda: cores)
    starts = [op.stiefel.random_point(12, 3, seed=seed) for seed in range(3)]
    problem = sparse_pca(m=12, n=3)
    solve_from(problem, op.solvers.Adaptive(), starts, lambda k: told.append(k) or MaxIterations(1), history=False)
    assert told == turns


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_starts": 0}, "n_starts = 0"),
        ({"n_starts": 1.5}, "n_starts"),
        ({"n_starts": 2, "progress": True}, "need n_starts=1"),
        ({"n_starts": 2, "callback": print}, "need n_starts=1"),
        ({"n_starts": 2, "start": np.eye(20)[:, :4]}, "the start is one point"),
        ({"start": "pcs"}, "start is 'pcs'; it needs one of 'auto'"),
    ],
)
def test_bad_starts_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        op.minimize(sparse_pca(), **options)


# --- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [L1, L21, MCP, SCAD])
def test_a_path_solves_each_problem(kind):
    """Each result is certified for its own weight, and sparsity falls with the weight."""
    problem = op.Problem(Variance(normal(0, 30, 12) / 10), kind(0.1), (12, 2))
    mus = [0.6, 0.3, 0.1]
    results = op.path(problem, mus, tol=1e-5)
    assert [result.problem.nonsmooth.mu for result in results] == mus
    for mu, result in zip(mus, results, strict=True):
        own = op.Problem(problem.smooth, kind(mu), (12, 2))
        assert result.converged
        assert op.certificate(own, result.X, multiplier=result.multiplier).relative() <= 2e-5
    assert results[0].sparsity >= results[-1].sparsity


def test_a_path_starts_each_run_from_the_solution_before():
    """Nearby weights need few iterations: far fewer than from the first start."""
    problem = sparse_pca()
    first, *others = op.path(problem, [0.5, 0.499, 0.498], "random")
    assert max(result.iterations for result in others) < first.iterations / 2


def test_other_parameters_of_a_penalty_stay():
    assert MCP(0.3, gamma=2.5).weighted(0.1).gamma == 2.5
    assert SCAD(0.3, a=4.5).weighted(0.1).a == 4.5
    assert L1(0.3, bound=0.7).weighted(0.1).bound == 0.7
    assert L1(0.3).weighted(0.1).bound == np.inf


@pytest.mark.parametrize(
    ("g", "mus", "message"),
    [
        (Nonnegative(), [0.1], "Nonnegative has no weight"),
        (L1(0.1), [], "mus is empty"),
        (L1(0.1), [0.1, -1.0], "An entry of mus"),
    ],
)
def test_bad_paths_are_refused(g, mus, message):
    with pytest.raises((ValueError, TypeError), match=message):
        op.path(op.Problem(Variance(normal(0, 30, 12)), g, (12, 2)), mus)


# --- history ----------------------------------------------------------------------------------------------------------


def test_without_history_the_run_is_the_same():
    problem = sparse_pca()
    with_history, without = op.minimize(problem), op.minimize(problem, history=False)
    np.testing.assert_array_equal(with_history.X, without.X)
    assert without.measurement == with_history.measurement
    assert len(without.history["iteration"]) == 1
    assert without.history["iteration"][-1] == with_history.history["iteration"][-1]


def test_other_methods_start_at_random_unless_told_otherwise(monkeypatch):
    monkeypatch.setattr(sys.modules["orthoprox.minimize"], "search", None)
    problem = sparse_pca()
    given = op.solve(problem, op.LSALM(), STARTS["random"](problem, rng()), stop=MaxIterations(3))
    for start in ("auto", "random"):
        with pytest.warns(op.ConvergenceWarning):
            result = op.minimize(problem, start, method="lsalm", stop=MaxIterations(3))
        np.testing.assert_array_equal(result.X, given.X)


@pytest.mark.parametrize("shift", [-20.0, 0.0, 20.0], ids=["negative", "indefinite", "positive"])
def test_the_highest_eigenvalue_or_zero(shift):
    C = symmetric(0, 12) + shift * np.eye(12)
    assert starting._highest(C) == pytest.approx(max(0.0, np.linalg.eigvalsh(C)[-1]))


def test_random_columns_have_length_one():
    problem = op.problems.sparse_pca(normal(0, 30, 4000), 5, 0.5)
    np.testing.assert_allclose(np.linalg.norm(starting.unit(problem, np.random.default_rng(0)), axis=0), 1, atol=0.05)
