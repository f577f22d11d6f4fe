"""Calls that ended by a deadline, with a checkpoint: who resumes them ends where a call without one
does.
"""

import itertools
from functools import partial

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca, normal
from orthoprox._run import multistart
from orthoprox.smooth import Variance
from orthoprox.stopping import Status, clock
from wide_problems import PLANTED
from wide_problems import A as WIDE

pytestmark = pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")

FIVE = op.datasets.five_components(200, 60, seed=0)
A = normal(1, 30, 40)
OWN = op.smooth.Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X))


def minimised(*given, **fixed):
    return lambda **options: op.minimize(*given, compiled=False, **fixed, **options).X


def fitted(data, *given, **fixed):
    return lambda **options: op.SparsePCA(*given, **fixed, **options).fit(data).components_


def followed(**options):
    results = op.path(gaussian_pca(m=12, n=3), [0.2, 0.5, 1.0], compiled=False, **options)
    return np.stack([result.X for result in results])


CALLS = {
    "small": minimised(gaussian_pca()),
    "thorough": minimised(gaussian_pca(m=10, n=3), effort="thorough"),
    "medium": minimised(op.problems.sparse_pca(FIVE, 6, 0.5)),
    "exchanges": minimised(op.problems.sparse_pca(op.datasets.five_components(60, 70, seed=0), 45, 0.4)),
    "paths": minimised(op.Problem(Variance(normal(0, 30, 60)), op.nonsmooth.L21(1.5), (60, 51)), tol=1e-3),
    "own function": minimised(op.Problem(OWN, op.nonsmooth.L1(0.5), (40, 4))),
    "wide": minimised(PLANTED),
    "wide, several starts": minimised(PLANTED, n_starts=3),
    "several starts": minimised(gaussian_pca(), "random", n_starts=3),
    "several searched": minimised(gaussian_pca(), n_starts=3),
    "path": followed,
    "alpha": fitted(FIVE, 4, n_init=2, random_state=0),
    "nonzeros": fitted(FIVE[:, :20], 4, n_nonzero=20),
    "nonzeros of many": fitted(WIDE, 3, n_nonzero=60),
    "wide data": fitted(WIDE, 3, random_state=0),
}
LONG = "thorough", "exchanges", "paths", "wide, several starts", "nonzeros of many", "wide data"
SHARES = 0.003, 0.03, 0.15, 0.4, 0.7, 0.97  # of the looks at the clock of a whole call


@pytest.fixture
def ticks(monkeypatch):
    """A clock that goes on by one at each look, and one process."""
    ticks = itertools.count()
    monkeypatch.setattr(clock, "perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr(multistart, "cores", lambda: 1)
    return ticks


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.extended] * (name in LONG)) for name in CALLS])
def test_what_a_deadline_has_cut_goes_on_to_the_end_of_a_call_without_one(tmp_path, ticks, name):
    """Wherever it was cut: the search for a start has a share of the time, and so have others."""
    call, begin = CALLS[name], next(ticks)
    expected = call(max_seconds=1e9)
    looks, others = next(ticks) - begin, 0
    assert np.array_equal(call(), expected)
    for k, share in enumerate(SHARES):
        file = tmp_path / f"{k}.npz"
        others += not np.array_equal(call(max_seconds=share * looks, checkpoint=file), expected)
        assert np.array_equal(call(checkpoint=file, resume=True), expected), share
    assert others > 1


@pytest.mark.parametrize("name", ["small", "wide", "path", "several starts", "nonzeros"])
def test_several_deadlines_one_after_the_other_change_nothing(tmp_path, ticks, name):
    call, begin = CALLS[name], next(ticks)
    expected = call(max_seconds=1e9)
    looks = next(ticks) - begin
    for share in (0.2, 0.001, 0.3, 0.1, 0.3):
        call(max_seconds=share * looks, checkpoint=tmp_path / "run.npz", resume=True)
    assert np.array_equal(call(checkpoint=tmp_path / "run.npz", resume=True), expected)


def test_a_run_in_another_process_that_its_share_of_the_time_has_cut_is_made_again(tmp_path, monkeypatch):
    """The processes have clocks of their own."""
    problem, expected = gaussian_pca(), CALLS["several starts"]()
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    with monkeypatch.context() as patch:
        patch.setattr(multistart, "_collected", lambda call, body, starts, number: _runs(call, starts))
        found = op.minimize(problem, "random", n_starts=3, compiled=False, max_seconds=100, checkpoint=tmp_path / "run.npz")
    assert found.status is Status.TIME
    assert np.array_equal(CALLS["several starts"](checkpoint=tmp_path / "run.npz", resume=True), expected)


def _runs(call, starts):
    """Runs with the time of a process, which is over at once."""
    for k, X0 in starts.items():
        deadline = clock.Deadline(1e-9)
        problem = multistart.counted(call.problem, clock.Work(), deadline)
        yield k, multistart.run(multistart.replace(call, problem=problem, deadline=deadline), X0), True


def test_a_path_takes_another_time_for_each_run_when_it_is_resumed(tmp_path):
    call = partial(op.path, gaussian_pca(m=12, n=3), [0.2, 0.5], compiled=False, checkpoint=tmp_path / "run.npz")
    call(max_seconds=1e-6)
    assert [result.status for result in call(max_seconds=100, resume=True)] == 2 * [Status.CONVERGED]


def test_an_option_of_a_path_that_is_missing_now_is_told(tmp_path):
    call = partial(op.path, gaussian_pca(m=12, n=3), [0.5], checkpoint=tmp_path / "run.npz")
    call(tol=1e-3)
    with pytest.raises(ValueError, match=r"tol is '0\.001' there and nothing here"):
        call(resume=True)
