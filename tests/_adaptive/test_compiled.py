"""The compiled loop: it makes the iterates of the first-order phase, and counts them."""

import sys
from dataclasses import fields, replace
from math import inf

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from cases import normal, symmetric
from orthoprox._adaptive import compiled, kept
from orthoprox._adaptive.batch import Stack
from orthoprox._adaptive.compiled import Walks, chosen_loop, loop
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.memory import PrimalDual
from orthoprox._adaptive.rules import MONITOR, NUMBERS
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._linalg.stiefel import multiplier
from orthoprox.nonsmooth import L1, L21
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.smooth import Quadratic, Variance
from orthoprox.stopping.clock import Stopped
from within_calls import Clock, looped

pytest.importorskip("numba")
PHASE = FirstOrder(SETTINGS, alone=True)


def quadratic(seed=3):
    A, B = op.datasets.random_quadratic(30, 4, seed=seed)
    for M in (A, B):
        M.setflags(write=False)
    return op.Problem(Quadratic(A, B), L1(np.abs(normal(1, 30, 1))), (30, 4))


PROBLEMS = {
    "dense": op.problems.sparse_pca(normal(0, 40, 13), 4, 3.0),
    "weights": op.Problem(Variance(normal(0, 40, 13)), L1([0.5, 1.0, 2.0]), (13, 3)),
    "linear part": quadratic(),
    "sparse Hessian": op.problems.compressed_modes(64, 4, 0.1),
    "one column": op.problems.sparse_pca(normal(0, 40, 13), 1, 3.0),
}


def first(problem, seed=0, **changes):
    X = op.stiefel.random_point(*problem.shape, seed=seed)
    return replace(PHASE.first(problem, X), **changes)


def assert_same(one, two, rtol=1e-6):
    """Two iterates are the same up to rounding, in every field."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(two, field.name)
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.abs(b).max()), err_msg=field.name)
        elif isinstance(a, (int, float)):
            assert type(a) is type(b), field.name
            assert a == pytest.approx(b, rel=1e-4, abs=1e-9), field.name
    assert one.monitor.step_rule == two.monitor.step_rule
    assert one.monitor.iterations == two.monitor.iterations
    assert (one.memory.divergences, one.memory.safety) == (two.memory.divergences, two.memory.safety)


def test_the_places_of_numbers_are_those_of_their_names():
    from orthoprox._adaptive import walk

    places = {"c": "C", "near_curvature": "NEAR_C"}
    for place, name in enumerate(NUMBERS + MONITOR):
        assert getattr(walk, places.get(name, name.upper())) == place


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_iterates_are_those_of_the_first_order_phase(name):
    """For 120 steps, over two windows of the monitor and beyond the residual at which dual steps
    are weighted.
    """
    problem = PROBLEMS[name]
    one = first(problem)
    walks = Walks.of([one])
    for _ in range(12):
        walks.advance(PHASE, looped(problem), 10, 0.0)
        for _ in range(10):
            one = PHASE.step(problem, one)
        assert_same(walks.runs[0], one)
    assert one.residual < SETTINGS.identified or name not in ("dense", "weights", "one column")


@pytest.mark.parametrize("factor", [0.02, 0.2])
def test_runs_that_diverge_restart_as_in_the_first_order_phase(factor):
    problem = PROBLEMS["dense"]
    one = first(problem)
    one = replace(one, c=factor * one.c)
    walks = Walks.of([one])
    walks.advance(PHASE, looped(problem), 60, 0.0)
    for _ in range(60):
        one = PHASE.step(problem, one)
    assert one.memory.divergences > 0
    assert_same(walks.runs[0], one)


def test_a_column_that_vanishes_leads_to_a_restart():
    """|G| is 1 all the time: the loop tells a vanished column from the signs of pivots."""
    problem = op.problems.sparse_pca(normal(0, 40, 13), 3, 500.0)
    one = first(problem)
    walks = Walks.of([one])
    walks.advance(PHASE, looped(problem), 80, 0.0)
    vanished = 0
    for _ in range(80):
        one = PHASE.step(problem, one)
        vanished = max(vanished, one.vanished)
    assert vanished > 0
    assert_same(walks.runs[0], one)


def test_a_run_ends_at_the_tolerance_and_where_all_step_rules_have_stagnated():
    problem = PROBLEMS["dense"]
    walks, stack = Walks.of([first(problem)]), Stack.of([first(problem)])
    for runs in (walks, stack):
        runs.advance(PHASE, looped(problem), 1000, 1e-3)
    assert walks.runs[0].residual <= 1e-3
    assert_same(walks.runs[0], stack.runs[0])
    slow = FirstOrder(replace(SETTINGS, slow=0.0), alone=True)  # every window is slow
    walks, stack = Walks.of([first(problem)]), Stack.of([first(problem)])
    for runs in (walks, stack):
        runs.advance(slow, looped(problem), 1000, 0.0)
    assert walks.runs[0].monitor.step_rule == len(SETTINGS.margins)
    assert_same(walks.runs[0], stack.runs[0])


@pytest.mark.parametrize("factor", [1.0, 0.1])
def test_it_counts_what_numpy_counts(factor):
    """One gradient and one prox for each iteration, restarts with their own."""
    works = []
    for kind in (Walks, Stack):
        works.append(Work())
        problem = looped(PROBLEMS["dense"], works[-1])
        runs = [first(problem, seed) for seed in range(3)]
        kind.of([replace(run, c=factor * run.c) for run in runs]).advance(PHASE, problem, 50, 1e-2)
    assert works[0] == works[1]
    assert works[0].gradients > 60


def test_it_asks_often_whether_to_go_on(monkeypatch):
    """After so many operations; runs then are where they were last."""
    problem, work = PROBLEMS["dense"], Work()
    monkeypatch.setattr(compiled, "SMALL", replace(SMALL, chunk=10.5 * loop(problem).flops))
    walks = Walks.of([first(problem), first(problem, 1)])
    with pytest.raises(Stopped):
        walks.advance(PHASE, looped(problem, work, Clock(3)), 100, 0.0)
    assert work.gradients == 30
    assert [run.monitor.iterations for run in walks.runs] == [30, 0]
    assert SMALL.chunk <= 2e7  # 20 ms on a machine with 1e9 operations in a second


def test_other_problems_have_no_loop():
    A = normal(0, 40, 13)
    assert loop(PROBLEMS["dense"]) is not None
    assert loop(counted(PROBLEMS["dense"], Work())) is not None
    assert loop(op.Problem(Variance(A), L1(1.0, bound=0.5), (13, 2))) is None
    assert loop(op.Problem(Variance(A), L21(1.0), (13, 2))) is None
    assert loop(op.Problem(Variance(A.astype(np.float32)), L1(1.0), (13, 2))) is None
    assert loop(op.Problem(Variance(normal(0, 5, 13)), L1(1.0), (13, 2))) is None  # A'A is not formed
    assert loop(op.problems.sparse_pca(normal(0, 400, 301), 10, 1.0)) is None  # not small

    class Own(Variance):
        pass

    assert loop(op.Problem(Own(A), L1(1.0), (13, 2))) is None


def used(*arguments):
    """Whether a call uses the loop."""
    return chosen_loop(*arguments) is not None


def test_the_process_chooses_once(monkeypatch):
    """By what is kept on disk, if the environment says nothing."""
    problem = PROBLEMS["dense"]
    for told, there, expected in (("", True, True), ("", False, False), ("0", True, False), ("1", False, True)):
        compiled.process_choice.cache_clear()
        monkeypatch.setenv("ORTHOPROX_COMPILED", told)
        monkeypatch.setattr(compiled, "is_kept", lambda there=there: there)
        assert used(problem, None) is expected
        monkeypatch.setattr(compiled, "is_kept", lambda there=there: not there)
        assert used(problem, None) is expected
        assert [used(problem, wanted) for wanted in (True, False)] == [True, False]
    compiled.process_choice.cache_clear()
    monkeypatch.setenv("ORTHOPROX_COMPILED", "yes")
    with pytest.raises(ValueError, match="ORTHOPROX_COMPILED is 'yes'; it needs 0, 1 or nothing"):
        used(problem, None)
    compiled.process_choice.cache_clear()


def test_a_short_call_does_not_wait_for_numba(monkeypatch):
    problem = PROBLEMS["dense"]
    monkeypatch.setattr(compiled, "process_choice", lambda: True)
    monkeypatch.setattr(compiled, "is_loaded", lambda: False)
    for there, wanted in ((True, None), (True, True), (False, None), (False, True)):  # nor any call with an end for a compiler
        monkeypatch.setattr(compiled, "is_kept", lambda there=there: there)
        assert [used(problem, wanted, seconds) for seconds in (0.1, 10.0, inf)] == [False, there, True]
    monkeypatch.setattr(compiled, "is_loaded", lambda: True)  # by a call before
    assert used(problem, None, 0.1)
    assert not used(problem, False, 0.1)


def test_a_full_sparse_matrix_in_any_order_is_the_same_loop():
    """Its entries may be unsorted, or come in parts that are to be added."""
    A = symmetric(0, 6)
    rows, columns = (index.ravel() for index in np.indices((6, 6)))
    shuffled = np.random.default_rng(0).permutation(36)
    unsorted = sp.csr_array((A[:, ::-1].ravel(), np.tile(np.arange(6)[::-1], 6), 6 * np.arange(7)), shape=(6, 6))
    doubled = sp.coo_array((np.r_[A.ravel(), A.ravel()] / 2, (np.r_[rows, rows], np.r_[columns, columns])), shape=(6, 6))
    mixed = sp.coo_array((A.ravel()[shuffled], (rows[shuffled], columns[shuffled])), shape=(6, 6))
    for H in (unsorted, doubled, mixed):
        pointers, indices, values = compiled._rows(H)
        np.testing.assert_allclose(sp.csr_array((values, indices, pointers), shape=(6, 6)).toarray(), A)
        assert np.array_equal(indices, np.tile(np.arange(6), 6))


def test_without_numba_numpy_serves(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(compiled, "process_choice", compiled.process_choice.__wrapped__)
    monkeypatch.setenv("ORTHOPROX_COMPILED", "")
    assert not used(PROBLEMS["dense"], None)
    with pytest.raises(ValueError, match=r"numba is not installed; install it with pip install \"orthoprox\[fast\]\""):
        used(PROBLEMS["dense"], True)


def test_the_name_of_kept_code_changes_with_each_of_its_sources(tmp_path, monkeypatch):
    """numba looks at the file of a loop alone, not at those of its parts and numbers."""
    files = [tmp_path / "loop.py", tmp_path / "parts.py"]
    for file in files:
        file.write_text("1")
    monkeypatch.setattr(kept, "_SOURCES", {"newton": files})
    before = kept.kept_name("newton")
    assert before == kept.kept_name("newton")
    files[1].write_text("2")
    assert kept.kept_name("newton") != before


@pytest.mark.parametrize("kind", [Stack, Walks])
@pytest.mark.parametrize("name", PROBLEMS)
def test_first_iterates_of_a_stack_are_those_of_its_points(name, kind):
    """With as many evaluations of the terms, apart from the differences that measure a curvature
    which a quadratic l knows.
    """
    problem = PROBLEMS[name]
    P = np.stack([op.stiefel.random_point(*problem.shape, seed=seed) for seed in range(3)])
    stack = kind.first(PHASE, problem, P)
    curvature = stack.memories[0].curvature
    for X, run in zip(P, stack.runs, strict=True):
        D = problem.grad(X)
        S = curvature * (X - problem.prox(X, 1 / curvature))
        point = PrimalDual(X, multiplier(X, D + S), D, S)
        one = PHASE.begun(problem, point, float(problem.value(X)), curvature)
        assert_same(run, one, rtol=1e-12)
        assert run.memory.value == pytest.approx(one.memory.value, rel=1e-12)
        assert run.memory.bound == pytest.approx(one.memory.bound, rel=1e-12)
        assert run.memory.floor == pytest.approx(one.memory.floor, rel=1e-12)
    few = stack.take(np.array([2, 0]))
    np.testing.assert_array_equal(few.now["X"], P[[2, 0]])
    few.advance(PHASE, looped(problem), 3, 0.0)
    np.testing.assert_array_equal(stack.now["X"], P)  # which is another stack
