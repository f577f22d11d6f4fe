"""Calls with a checkpoint: from every file that was written, the end is the same."""

import itertools
import math
import os
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS, gaussian_pca, normal
from checkpoints import all_written, same, some
from orthoprox.nonsmooth import L1, L21, MCP, Zero
from orthoprox.smooth import Function, Variance
from orthoprox.stopping import MaxIterations, MaxSeconds, Status, clock
from wide_problems import PLANTED

pytestmark = pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")

A = normal(1, 30, 40)
CALLS = {
    "small": partial(op.minimize, gaussian_pca(), compiled=False),
    "thorough": partial(op.minimize, gaussian_pca(m=10, n=3), compiled=False, effort="thorough"),
    "exchanges": partial(op.minimize, op.problems.sparse_pca(op.datasets.five_components(60, 70, seed=0), 45, 0.4)),
    "paths": partial(op.minimize, op.Problem(Variance(normal(0, 30, 60)), L21(1.5), (60, 51)), tol=1e-3),
    "concave": partial(op.minimize, op.Problem(Variance(A), MCP(0.5, gamma=2.0), (40, 5))),
    "wide": partial(op.minimize, PLANTED),
    "wide, several starts": partial(op.minimize, PLANTED, n_starts=3),
    "wide, thorough": partial(op.minimize, PLANTED, effort="thorough"),
    "smooth": partial(op.minimize, op.Problem(Variance(A), Zero(), (40, 5))),
    "own function": partial(
        op.minimize, op.Problem(Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X)), L1(0.5), (40, 4))
    ),
    "extreme": partial(op.minimize, op.Problem(Variance(1e60 * A), L1(0.5e120), (40, 4)), compiled=False),
    "float32": partial(op.minimize, gaussian_pca(dtype=np.float32), tol=1e-3),
    "several starts": partial(op.minimize, gaussian_pca(), "random", n_starts=3, compiled=False),
}

QUICK = "small", "smooth", "extreme", "float32", "several starts", "wide", "concave"


@pytest.mark.parametrize("name", CALLS)
def test_a_call_goes_on_from_every_checkpoint_to_the_same_end(tmp_path, monkeypatch, name):
    """With the same iterates, work and parts; the file does not change the call."""
    if name == "several starts":
        monkeypatch.setattr(op.minimize.__globals__["solve_from"].__globals__["cores"], "__code__", (lambda: 1).__code__)
    expected = CALLS[name]()
    result, files = all_written(monkeypatch, tmp_path, CALLS[name], every=0.0 if name in QUICK else 0.02)
    assert same(result, expected)
    assert result.resumed == 0
    assert len(files) >= 2
    for file in some(files, 4 if name in ("exchanges", "paths", "thorough") else 8):
        resumed = CALLS[name](checkpoint=file, resume=True)
        assert same(resumed, expected), file
        assert math.isclose(sum(part.seconds for part in resumed.phases), resumed.seconds)


@pytest.mark.parametrize("name", SOLVERS)
def test_every_method_goes_on(tmp_path, monkeypatch, name):
    g = Zero() if name in SMOOTH_ONLY else L1(0.5)
    problem = op.Problem(Variance(normal(0, 60, 20)), g, (20, 4))
    call = partial(
        op.solve, problem, SOLVERS[name], op.stiefel.random_point(20, 4, 0), stop=op.stopping.Stationary() | MaxIterations(60)
    )
    expected, files = all_written(monkeypatch, tmp_path, call)
    assert same(call(), expected)
    for file in some(files, 4):
        assert same(call(checkpoint=file, resume=True), expected)


def test_compiled_loops_go_on_and_are_held_in_the_file(tmp_path, monkeypatch):
    pytest.importorskip("numba")
    call = partial(op.minimize, gaussian_pca())
    expected, files = all_written(monkeypatch, tmp_path, partial(call, compiled=True))
    assert expected.compiled
    for file in some(files[3:], 4):
        resumed = call(checkpoint=file, resume=True)  # whatever the process would choose
        assert resumed.compiled
        assert same(resumed, expected)


@pytest.mark.parametrize("both_ways", [True, False])
def test_a_path_goes_on(tmp_path, monkeypatch, both_ways):
    call = partial(op.path, gaussian_pca(m=12, n=3), [0.2, 0.5, 1.0], both_ways=both_ways, compiled=False)
    expected, files = all_written(monkeypatch, tmp_path, call)
    assert all(map(same, expected, call()))
    for file in some(files):
        resumed = call(checkpoint=file, resume=True)
        assert all(map(same, resumed, expected))
        assert [result.problem.nonsmooth.mu for result in resumed] == [0.2, 0.5, 1.0]


def test_a_finished_call_is_returned_as_it_was(tmp_path):
    problem, file = gaussian_pca(), tmp_path / "run.npz"
    expected = op.minimize(problem, max_iterations=30, effort="fast", checkpoint=file)
    again = op.minimize(problem, max_iterations=30, effort="fast", checkpoint=file, resume=True)
    assert same(again, expected)
    assert again.problem is problem
    assert again.seconds == expected.seconds
    assert again.resumed == 0


def test_without_a_file_it_begins(tmp_path):
    problem, file = gaussian_pca(), tmp_path / "run.npz"
    assert same(op.minimize(problem, checkpoint=file, resume=True), op.minimize(problem))


SLOW = op.problems.sparse_pca(op.datasets.five_components(400, 150, seed=0), 30, 0.5)


def test_what_ended_by_its_time_goes_on_with_a_new_one(tmp_path):
    expected = op.minimize(SLOW, op.stiefel.random_point(150, 30, 0))
    call = partial(op.minimize, SLOW, op.stiefel.random_point(150, 30, 0), checkpoint=tmp_path / "run.npz")
    cut = call(max_seconds=expected.seconds / 3)
    assert cut.status is Status.TIME
    assert cut.work.gradients < expected.work.gradients
    for _ in range(50):
        resumed = call(max_seconds=expected.seconds / 2, resume=True)
        if resumed.status is not Status.TIME:
            break
    assert resumed.resumed >= 1
    resumed = call(resume=True)  # time may have been over between convergence and the last digits
    assert np.array_equal(resumed.X, expected.X)
    assert "resumed" in repr(resumed)


def test_hops_that_time_has_cut_are_made_again(tmp_path, monkeypatch):
    """Also if the call had converged before. The clock goes on by one at each look."""
    problem, ticks = op.problems.sparse_pca(normal(1, 50, 30) / 7, 15, 0.8), itertools.count()
    call = partial(op.minimize, problem, "random", effort="normal", compiled=False)
    monkeypatch.setattr(clock, "perf_counter", lambda: float(next(ticks)))
    expected, higher = call(max_seconds=1e9), 0
    for k, share in enumerate((0.3, 0.45, 0.7, 0.8, 0.9)):
        cut = call(max_seconds=share * expected.seconds, checkpoint=tmp_path / f"{k}.npz")
        higher += cut.status is Status.CONVERGED and cut.projected_objective > expected.projected_objective + 1e-6
        assert np.array_equal(call(checkpoint=tmp_path / f"{k}.npz", resume=True).X, expected.X), share
    assert higher > 1


def test_a_rule_of_seconds_counts_those_of_the_process(tmp_path):
    X0 = op.stiefel.random_point(150, 30, 0)
    call = partial(op.solve, SLOW, SOLVERS["lsalm"], X0, checkpoint=tmp_path / "run.npz")
    first = call(stop=MaxSeconds(0.1) | MaxIterations(4000))
    assert first.status is Status.TIME
    second = call(stop=MaxSeconds(0.1) | MaxIterations(4000), resume=True)
    assert second.iterations > first.iterations


def stop_after(number):
    def callback(now):
        if now.iteration == number:
            raise StopIteration("enough")

    return callback


def test_what_a_callback_has_ended_goes_on(tmp_path):
    call = partial(op.minimize, gaussian_pca(), "random", compiled=False, checkpoint=tmp_path / "run.npz")
    assert call(callback=stop_after(10)).status is Status.INTERRUPTED
    resumed = call(resume=True)
    assert same(resumed, op.minimize(gaussian_pca(), "random", compiled=False))


class MistakeError(Exception):
    pass


def test_nothing_is_lost_where_a_callback_raises(tmp_path):
    def callback(now):
        if now.iteration == 30:
            raise MistakeError

    call = partial(op.minimize, gaussian_pca(), "random", compiled=False, checkpoint=tmp_path / "run.npz", checkpoint_every=0.0)
    with pytest.raises(MistakeError):
        call(callback=callback)
    seen = []
    resumed = call(callback=lambda now: seen.append(now.iteration), resume=True)
    assert min(seen) > 20
    assert same(resumed, op.minimize(gaussian_pca(), "random", compiled=False))


@dataclass(frozen=True)
class Descent(op.solvers.RGD):
    """A method of one's own, whose state is one of its module."""


def test_a_method_of_ones_own_goes_on(tmp_path, monkeypatch):
    problem = op.Problem(Variance(A), Zero(), (40, 3))
    call = partial(op.minimize, problem, "random", method=Descent(), max_iterations=40)
    expected, files = all_written(monkeypatch, tmp_path, call)
    assert same(call(checkpoint=files[len(files) // 2], resume=True), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tol": 1e-5}, "tol is '1e-06' there and '1e-05' here"),
        ({"seed": 1}, "seed is"),
        ({"method": "lsalm"}, "the method is"),
        ({"start": "pca"}, "the start is 'search' there and 'pca' here"),
        ({"problem": gaussian_pca(mu=0.6)}, "the data or the weights are others"),
        ({"problem": gaussian_pca(mu=0.5 * (1 + 1e-6))}, "the data or the weights are others"),
        ({"problem": gaussian_pca(p=61)}, "the data or the weights are others"),
        ({"problem": gaussian_pca(n=3)}, "the shape of X is"),
        ({"problem": replace(gaussian_pca(), nonsmooth=L21(0.5))}, "the nonsmooth term is 'L1' there and 'L21' here"),
    ],
)
def test_a_checkpoint_of_another_call_is_refused(tmp_path, change, message):
    file = tmp_path / "run.npz"
    op.minimize(gaussian_pca(), checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=message):
        op.minimize(**{"problem": gaussian_pca(), "checkpoint": file, "resume": True} | change)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.npz"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"resume": True}, ValueError, "no checkpoint to resume from"),
        ({"checkpoint": "x.npz", "resume": "yes"}, TypeError, "resume is 'yes'"),
        ({"checkpoint": "x.npz", "checkpoint_every": -1}, ValueError, "checkpoint_every"),
        ({"checkpoint": "nowhere/x.npz"}, FileNotFoundError, "There is no folder"),
        ({"checkpoint": 3}, TypeError, r"needs a str or a pathlib\.Path"),
    ],
)
def test_bad_options(options, error, message):
    for call in (partial(op.minimize, gaussian_pca()), partial(op.path, gaussian_pca(), [0.5])):
        with pytest.raises(error, match=message):
            call(**options)


def test_the_rows_of_a_checkpoint_file_are_no_pickle(tmp_path):
    op.minimize(gaussian_pca(), checkpoint=tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files if name != "header.json")


def test_what_killed_workers_have_left_goes_with_the_end_of_the_call(tmp_path):
    problem = op.problems.sparse_pca(op.datasets.five_components(30, 12, seed=0), 2, 0.5)
    for left in ("run.npz.start3", "run.npz.start3.lock", f".run.npz.start3.{16 * 'a'}", "run.npz.start7.lock"):
        (tmp_path / left).touch()
    for other in ("run.npz.starts", "other.npz.start3.lock"):
        (tmp_path / other).touch()
    op.minimize(problem, checkpoint=tmp_path / "run.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.npz.start3.lock", "run.npz", "run.npz.starts"]
