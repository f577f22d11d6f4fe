"""Many small problems at once end as they would one by one."""

from functools import cache

import numpy as np
import pytest

import orthoprox as op
from orthoprox._linalg.stiefel import random_point
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import batch as module
from orthoprox.reproduce.studies import quadratics
from orthoprox.reproduce.studies.batch import Batch, run
from orthoprox.stopping import Below, MaxIterations, Status

RULE = {"update": 1e-3, "constraint": 1e-5}
RANGE = {"rho": 0.15, "lam": 1.35, "r": 1.25, "alpha": 0.1, "beta": 0.44, "eps": 1e-8}  # of fig-qp-range, (20, 2)
PAIRS = {"rho": 0.1, "lam": 1.0, "r": 7.0, "alpha": 0.1, "beta": 0.1, "eps": 1e-8}  # of fig-qp-r-beta, (5, 2)
SIZES = {"fig-qp-range": (20, 2, 0.35, RANGE, 5.0), "fig-qp-r-beta": (5, 2, 1.0, PAIRS, 10.0)}

# (study, seed, what differs from its constants, cap, how the run ends)
C, S, N = Status.CONVERGED, Status.STALLED, Status.ITERATIONS
CELLS = [
    ("fig-qp-range", 1, {}, 1000, N),
    *(("fig-qp-range", seed, {}, 1000, C) for seed in (2, 3, 4, 5)),
    *(("fig-qp-range", seed, {"r": 0.05}, 1000, C) for seed in (2, 8)),
    *(("fig-qp-range", seed, {"r": 0.125661}, 1000, end) for seed, end in ((7, C), (13, S))),
    *(("fig-qp-range", seed, {"r": 0.05}, 1000, S) for seed in (6, 13)),  # a zero column
    ("fig-qp-range", 6, {"beta": 1.11009}, 1000, S),
    *(("fig-qp-range", seed, {"beta": 2.0}, 1000, S) for seed in (2, 8, 12, 15)),  # on the box
    *(("fig-qp-range", seed, {"alpha": 0.859506}, 1000, end) for seed, end in ((12, C), (0, N))),  # the second one cycles
    *(("fig-qp-range", seed, {"rho": 2.0}, 1000, N) for seed in (0, 1)),
    *(("fig-qp-range", seed, {}, 40, N) for seed in (1, 2)),
    *(("fig-qp-r-beta", seed, {}, 1500, C) for seed in (0, 1, 2)),
    *(("fig-qp-r-beta", seed, {"beta": 0.13}, 1500, end) for seed, end in ((0, S), (2, C))),
    ("fig-qp-r-beta", 2, {"beta": 0.25}, 1500, S),  # two zero columns
    ("fig-qp-r-beta", 1, {"r": 24.7, "beta": 0.22}, 1500, N),
    ("fig-qp-r-beta", 0, {"r": 30.6, "beta": 0.25}, 300, N),
]


@cache
def instance(m, n, mu, seed):
    rng = np.random.default_rng(seed)
    A, B = op.datasets.random_quadratic(m, n, seed=rng)
    return A, B, random_point(m, n, rng)


def batch(study, seeds, varied, **fixed):
    """Return the batch of some instances of a study, its parameters changed run by run."""
    m, n, mu, constants, radius = SIZES[study]
    distinct = sorted(set(seeds))
    A, B, X0 = (np.array(part) for part in zip(*(instance(m, n, mu, seed) for seed in distinct), strict=True))
    parameters = {name: np.array([{**constants, **change}[name] for change in varied]) for name in constants}
    fixed = {"box": 10.0, "dual_radius": radius, "Y0": 0.0} | fixed
    kept = {name: value for name, value in fixed.items() if value is not None}
    return Batch(A, B, X0, mu, np.searchsorted(distinct, seeds), parameters, kept)


def one_by_one(study, seed, change, cap, rule=RULE, **options):
    m, n, mu, constants, radius = SIZES[study]
    A, B, X0 = instance(m, n, mu, seed)
    solver = op.LSALM(**{**constants, **change}, box=10.0, dual_radius=radius, Y0=0.0)
    stop = Below(**rule) | MaxIterations(cap)
    return op.solve(op.problems.quadratic(A, B, mu), solver, X0, stop=stop, every=10**9, **options)


@cache
def some_ends(chunk):
    """Return how twelve runs end that are in the loop ``chunk`` at a time; what they change differs
    from run to run.
    """
    chosen = [cell for cell in CELLS if cell[0] == "fig-qp-range" and cell[3] == 1000][:12]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        return run(batch("fig-qp-range", [c[1] for c in chosen], [c[2] for c in chosen]), RULE, 1000, record=(1, 5, 50, 400))


def test_the_cells_are_thirty_of_both_studies_and_of_all_ends():
    assert len(CELLS) == 30
    assert {cell[0] for cell in CELLS} == set(SIZES)
    assert {cell[4] for cell in CELLS} == {C, S, N}


@pytest.mark.parametrize("study", SIZES)
def test_the_constants_here_are_those_of_the_specs(study):
    spec = load(study)
    m, n, mu, constants, radius = SIZES[study]
    assert spec.content["problem"] == {"m": m, "n": n, "mu": mu}
    assert spec.content["stop"]["below"] == RULE
    given = {**constants, "box": 10.0, "dual_radius": radius, "Y0": 0.0}
    assert spec.content["solvers"]["lsalm"].items() <= given.items()


@pytest.mark.parametrize(("study", "cap"), sorted({(cell[0], cell[3]) for cell in CELLS}))
def test_counts_and_statuses_are_those_of_solve(study, cap):
    chosen = [cell for cell in CELLS if (cell[0], cell[3]) == (study, cap)]
    ends = run(batch(study, [cell[1] for cell in chosen], [cell[2] for cell in chosen]), RULE, cap)
    assert ends.status == [cell[4] for cell in chosen]
    for k, (_, seed, change, _, _) in enumerate(chosen):
        alone = one_by_one(study, seed, change, cap)
        assert (ends.status[k], ends.iterations[k]) == (alone.status, alone.iterations), (seed, change)
        if alone.status is Status.CONVERGED:
            np.testing.assert_allclose(ends.X[k], alone.X, atol=1e-10)
            np.testing.assert_allclose(ends.Y[k], alone.multiplier, atol=1e-10)


def test_runs_with_a_zero_column_stall():
    ends = run(batch("fig-qp-r-beta", [2], [{"beta": 0.25}]), RULE, 1500)
    assert ends.status == [Status.STALLED]
    assert np.all(ends.X == 0)
    assert ends.iterations[0] < 1500


@pytest.mark.parametrize("chunk", [1, 3, 5])
def test_a_batch_larger_than_the_chunk_ends_as_one_chunk(chunk):
    few, whole = some_ends(chunk), some_ends(2000)
    assert few.status == whole.status
    assert np.array_equal(few.iterations, whole.iterations)
    np.testing.assert_allclose(few.X, whole.X, atol=1e-10)
    np.testing.assert_allclose(few.Y, whole.Y, atol=1e-10)
    for name in ("update", "constraint"):
        np.testing.assert_allclose(few.trace[name], whole.trace[name], rtol=1e-6)
    assert len({*whole.iterations}) > 6, "the runs end at different times, so that places become free"


def test_no_more_runs_than_the_chunk_are_in_the_loop(monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 3)
    seen = []
    step = op.LSALM.step
    monkeypatch.setattr(op.LSALM, "step", lambda self, problem, state: seen.append(len(state.X)) or step(self, problem, state))
    run(batch("fig-qp-range", [1, 2, 3, 4, 5], [{}] * 5), RULE, 1000)
    assert max(seen) == 3


@pytest.mark.parametrize("chunk", [2, 2000])
def test_traces_are_the_residuals_at_the_recorded_iterations_and_nan_after_the_end(monkeypatch, chunk):
    monkeypatch.setattr(module, "_CHUNK", chunk)
    record, changes = (1, 2, 7, 30, 60, 999), [{"r": 0.05}, {"r": 0.125661}, {"r": 0.125661, "alpha": 0.05}, {"r": 0.05}]
    seeds = [2, 7, 1, 8]
    ends = run(batch("fig-qp-range", seeds, changes), RULE, 1000, record=record)
    for k, (seed, change) in enumerate(zip(seeds, changes, strict=True)):
        kept = {}

        def keep(now, kept=kept):
            kept[now.iteration] = {name: float(now.residual(name)) for name in ("update", "constraint")}

        alone = one_by_one("fig-qp-range", seed, change, 1000, callback=keep)
        assert alone.converged
        assert 7 < alone.iterations < 999
        for name, values in ends.trace.items():
            expected = [kept[i][name] if i <= alone.iterations else np.nan for i in record]
            np.testing.assert_allclose(values[k], expected, rtol=1e-8)
    assert set(ends.trace) == {"update", "constraint"}
    assert np.isnan(ends.trace["update"][:, -1]).all()
    assert not np.isnan(ends.trace["update"][:, 0]).any()


def test_nothing_is_recorded_unless_asked_for():
    assert run(batch("fig-qp-range", [1], [{}]), RULE, 5).trace == {}


def test_without_bounds_runs_go_on_to_the_cap():
    assert max(run(batch("fig-qp-range", [3, 4], [{}, {}]), RULE, 400).iterations) < 400
    ends = run(batch("fig-qp-range", [3, 4], [{}, {}]), {}, 400)
    assert ends.status == [Status.ITERATIONS] * 2
    assert ends.iterations.tolist() == [400, 400]


def test_parameters_that_vary_are_used_by_the_right_run():
    changes = [{"beta": beta, "r": r} for r in (0.5, 1.25) for beta in (0.1, 0.2, 0.44)]
    together = run(batch("fig-qp-range", [4] * 6, changes), RULE, 2000)
    alone = [run(batch("fig-qp-range", [4], [change]), RULE, 2000).iterations[0] for change in changes]
    assert together.iterations.tolist() == alone
    assert len(set(alone)) == 6
    turned = run(batch("fig-qp-range", [4] * 6, changes[::-1]), RULE, 2000)
    assert turned.iterations.tolist() == alone[::-1]


def test_each_run_has_the_instance_it_names():
    seeds = [5, 1, 3, 1, 5]
    together = run(batch("fig-qp-range", seeds, [{}] * 5), RULE, 1000).iterations.tolist()
    assert together == [one_by_one("fig-qp-range", seed, {}, 1000).iterations for seed in seeds]
    assert len(set(together)) == 3


def test_a_norm_above_a_million_ends_as_diverged():
    absurd = {"lam": 1e3, "rho": 50.0}
    ends = run(batch("fig-qp-range", [0, 1, 2], [absurd, {}, absurd], box=None, dual_radius=None), RULE, 1000)
    assert ends.status[0] is ends.status[2] is Status.DIVERGED
    assert ends.status[1] is not Status.DIVERGED
    assert np.linalg.norm(ends.X[1]) < 10
    m, n, mu, constants, _ = SIZES["fig-qp-range"]
    for k in (0, 2):
        A, B, X0 = instance(m, n, mu, k)
        problem, solver = op.problems.quadratic(A, B, mu), op.LSALM(**{**constants, **absurd}, Y0=0.0)
        state, steps = solver.init(problem, X0), 0
        while np.linalg.norm(state.X) <= 1e6:
            state, steps = solver.step(problem, state), steps + 1
        assert ends.iterations[k] == steps
        np.testing.assert_allclose(ends.X[k], state.X, rtol=1e-6)


def test_a_run_within_the_box_does_not_diverge():
    ends = run(batch("fig-qp-range", [0], [{"lam": 1e3, "rho": 50.0}]), RULE, 200)
    assert ends.status[0] is not Status.DIVERGED
    assert np.max(np.abs(ends.X)) <= 10


def test_a_run_that_would_stall_at_its_cap_used_up_its_iterations_as_in_solve():
    last = run(batch("fig-qp-r-beta", [2], [{"beta": 0.25}]), RULE, 1500).iterations[0]
    ends = run(batch("fig-qp-r-beta", [2], [{"beta": 0.25}]), RULE, int(last))
    assert ends.status[0] is one_by_one("fig-qp-r-beta", 2, {"beta": 0.25}, int(last)).status


def test_a_run_that_never_moves_stalls_after_as_many_steps_as_in_solve():
    still, never = {"lam": 1e-20}, {"constraint": 1e-30}
    ends = run(batch("fig-qp-range", [0], [still]), never, 500)
    alone = one_by_one("fig-qp-range", 0, still, 500, never)
    assert ends.status[0] is alone.status is Status.STALLED
    assert ends.iterations[0] == alone.iterations


def test_the_study_runs_each_cell_on_its_instance_with_its_parameters():
    spec = load("fig-qp-range", quick=True)
    chosen = [run for run in spec.runs() if run.at["seed"] in (2, 13) and run.at["parameter"] in ("baseline", "r")][:12]
    settings = [{**run.settings, "stop": {**run.settings["stop"], "max_iterations": 500}} for run in chosen]
    for run_, found in zip(chosen, quadratics.execute(settings), strict=True):
        change = {} if run_.at["parameter"] == "baseline" else {"r": run_.at["value"]}
        alone = one_by_one("fig-qp-range", run_.at["seed"], change, 500)
        assert (found["status"], found["iterations"]) == (alone.status.name, alone.iterations)
        assert found["zero_columns"] == int(np.sum(np.all(alone.X == 0, axis=0)))


def test_the_study_keeps_traces_with_none_after_the_end_and_the_floor_that_eps_sets():
    run_ = next(run for run in load("fig-qp-rho").runs() if run.at["rho"] == 1.0 and run.at["eps"] == 1e-4)
    settings = {**run_.settings, "stop": {"below": {}, "max_iterations": 3000, "records": 20}}
    (found,) = quadratics.execute([settings])
    assert found["at_iterations"][0] == 1
    assert found["at_iterations"][-1] == 3000
    assert len(found["at_iterations"]) == len(found["update"]) == len(found["constraint"]) <= 20
    assert found["floor"] == pytest.approx(found["feasibility"], rel=0.1)
    early = {**settings, "stop": {"below": {"update": 1.0}, "max_iterations": 3000, "records": 20}}
    (found,) = quadratics.execute([early])
    assert [x is None for x in found["update"]] == [k > found["iterations"] for k in found["at_iterations"]]
    assert None in found["update"]
