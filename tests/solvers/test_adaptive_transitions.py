"""The table of transitions: which phase follows which verdict, row by row."""

import ast
import inspect
import textwrap
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.sparse import eye_array

import orthoprox as op
from adaptive_cases import LARGE, steps, with_iterate, with_memory, with_residual
from orthoprox import stiefel
from orthoprox._adaptive.phase import Phase, Verdict
from orthoprox._adaptive.rules import StagnationMonitor
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.solvers.adaptive import BACK, TRANSITIONS, Adaptive, State

SOLVER = LARGE
STINGY = Adaptive(settings=replace(SETTINGS, polish=0))  # whose polish may do nothing
ROWS = [(name, verdict) for name, row in TRANSITIONS.items() for verdict in row]
# the next window is the last slow one, with the last step rule
SLOW = StagnationMonitor(
    len(SETTINGS.margins) - 1, patience=1, iterations=2 * SETTINGS.window - 1, window_best=1e-300, previous_best=1e-300
)


def verdicts(phase):
    """The verdicts that the code of a phase names."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(type(phase).verdict)))
    named = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return {Verdict[node.attr] for node in named if node.value.id == "Verdict"}


# --- situations ---


@cache
def small():
    """A small problem, and its state after some iterations."""
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    return problem, steps(SOLVER, problem, SOLVER.init(problem, stiefel.random_point(20, 4, seed=0)), 60)[-1]


@cache
def large():
    """A problem with a large sparse X, and its state on the way, before any polish."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)
    solver = Adaptive(newton=False)
    state = solver.init(problem, op.starts.coordinates(problem, np.random.default_rng(0)))
    while state.now.residual > SETTINGS.identified / 10:
        state = solver.step(problem, state)
    return problem, replace(state, phase="first order")


def in_phase(name, problem, state):
    """The state of another phase at this point."""
    point = SOLVER.phases[state.phase].point(problem, state.now)
    before = state if name.endswith("polish") else None
    return State(name, SOLVER.phases[name].start(problem, point, state.now.memory), before)


def stagnated(name):
    problem, state = small()
    return problem, with_iterate(replace(state, phase=name), monitor=SLOW)


def lost(name):
    """A multiplier that drives X outwards, and a safety factor that cannot grow twice."""
    problem, state = small()
    Y = -100 * np.eye(4)
    state = with_memory(replace(state, phase=name), safety=SETTINGS.safety / SETTINGS.growth)
    return problem, with_iterate(state, Y=Y, EY=state.now.E @ Y)


def worse(name):
    """A step that identifies the supports, above f(X0)."""
    problem, state = small()
    state = replace(steps(Adaptive(newton=False), problem, replace(state, phase="first order alone"), 300)[-1], phase=name)
    return problem, with_memory(replace(state, now=with_residual(state.now, 1.0)), value=-1e9)


def near(name):
    """A sparse X of which a polish is due."""
    problem, state = large()
    return problem, with_memory(replace(state, phase=name), polish_at=1.0)


def converging(name):
    """A state of the proximal Newton method of which a polish is due."""
    problem, state = second_order(0)
    return problem, with_memory(state, polish_at=1e9)


def identified():
    problem, state = small()
    state = in_phase("smoothing Newton", problem, state)
    for _ in range(300):
        old, state = state, SOLVER.step(problem, state)
        if state.phase != old.phase:
            return problem, old
    raise AssertionError("The supports are never identified.")


def polished(name="polish", shown=False):
    """A state that is to be polished, or has been."""
    problem, state = large()
    state = in_phase(name, problem, state)
    return problem, SOLVER.step(problem, state) if shown else state


def second_order(steps_before):
    """A state of the proximal Newton method."""
    problem, state = small()
    state = in_phase("proximal Newton", problem, state)
    return problem, with_memory(with_iterate(state, steps=steps_before), polish_at=0.0)


SITUATIONS = {
    ("small first order", Verdict.STAGNATED): lambda: stagnated("small first order"),
    ("small first order", Verdict.LOST): lambda: lost("small first order"),
    ("small first order", Verdict.WORSE): lambda: worse("small first order"),
    ("small first order", Verdict.NEAR): lambda: near("small first order"),
    ("narrow first order", Verdict.STAGNATED): lambda: stagnated("narrow first order"),
    ("narrow first order", Verdict.LOST): lambda: lost("narrow first order"),
    ("narrow first order", Verdict.WORSE): lambda: worse("narrow first order"),
    ("narrow first order", Verdict.NEAR): lambda: near("narrow first order"),
    ("proximal Newton", Verdict.STAGNATED): lambda: second_order(int(SETTINGS.slow) - 1),
    ("proximal Newton", Verdict.NEAR): lambda: converging("proximal Newton"),
    ("first order", Verdict.STAGNATED): lambda: stagnated("first order"),
    ("first order", Verdict.LOST): lambda: lost("first order"),
    ("first order", Verdict.WORSE): lambda: worse("first order"),
    ("first order", Verdict.NEAR): lambda: near("first order"),
    ("smoothing Newton", Verdict.IDENTIFIED): identified,
    ("late first order", Verdict.STAGNATED): lambda: stagnated("late first order"),
    ("late first order", Verdict.WORSE): lambda: worse("late first order"),
    ("late first order", Verdict.NEAR): lambda: near("late first order"),
    ("polish", Verdict.POLISHED): lambda: polished(shown=True),
    ("polish", Verdict.REFUSED): polished,
    ("small polish", Verdict.POLISHED): lambda: polished("small polish", shown=True),
    ("small polish", Verdict.REFUSED): lambda: polished("small polish"),
    ("first order alone", Verdict.STAGNATED): lambda: stagnated("first order alone"),
}


def label(row):
    """The name of a row."""
    return f"{row[0]}-{row[1].name}"


def situation(row):
    """The solver, the problem and a state whose next step ends with this verdict."""
    return (STINGY if row[1] is Verdict.REFUSED else SOLVER, *SITUATIONS[row]())


# --- the table ---


def test_every_phase_of_the_table_exists():
    targets = {target for row in TRANSITIONS.values() for target in row.values()}
    assert set(TRANSITIONS) | (targets - {BACK}) <= set(SOLVER.phases)
    assert all(isinstance(phase, Phase) for phase in SOLVER.phases.values())


@pytest.mark.parametrize("name", TRANSITIONS)
def test_every_verdict_of_the_table_is_one_that_the_phase_can_give(name):
    assert set(TRANSITIONS[name]) <= verdicts(SOLVER.phases[name])
    assert Verdict.GOING not in TRANSITIONS[name]


def test_every_verdict_leads_somewhere_from_some_phase():
    """A verdict that no row had would be of no use."""
    assert {verdict for row in TRANSITIONS.values() for verdict in row} == set(Verdict) - {Verdict.GOING}


def test_every_row_has_its_situation():
    assert set(SITUATIONS) == set(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_every_row_is_reached_and_leads_where_it_says(row):
    """The phase gives this verdict, and the next state is one of the phase in the table, with the
    same memory of the start.
    """
    solver, problem, state = situation(row)
    name, verdict = row
    phase = solver.phases[name]
    now = phase.step(problem, state.now)
    assert phase.verdict(problem, state.now, now) is verdict
    new = solver.step(problem, state)
    target = TRANSITIONS[name][verdict]
    assert new.phase == (state.before.phase if target == BACK else target)
    assert new.now.memory.start is state.now.memory.start
    assert (new.before is None) == (not new.phase.endswith("polish"))
    for M in (solver.output(new), solver.multiplier(new)):
        assert np.all(np.isfinite(M))
    assert new.now.failed == ""


@pytest.mark.parametrize("row", [row for row in ROWS if row[1] not in (Verdict.WORSE, Verdict.REFUSED)], ids=label)
def test_the_next_phase_begins_where_the_last_one_ended(row):
    """At the point that the last one hands on, but for the way back to the manifold and the width
    of the smoothing.
    """
    solver, problem, state = situation(row)
    phase, new = solver.phases[row[0]], solver.step(problem, state)
    point = phase.point(problem, phase.step(problem, state.now))
    width = getattr(solver.phases[new.phase], "width", 0.0) * problem.shape[1] ** 0.5
    way = stiefel.norm(stiefel.polar(point.X) - point.X) if "Newton" in new.phase else 0.0
    assert stiefel.norm(solver.output(new) - point.X) <= 1e-12 + width + way


@pytest.mark.parametrize("name", TRANSITIONS)
def test_any_other_verdict_lets_the_phase_go_on(name, monkeypatch):
    solver, problem, state = situation(next(row for row in ROWS if row[0] == name)) if TRANSITIONS[name] else descent()
    phase = solver.phases[name]
    for verdict in set(Verdict) - set(TRANSITIONS[name]):
        monkeypatch.setattr(type(phase), "verdict", lambda *_, verdict=verdict: verdict)
        new = solver.step(problem, state)
        assert (new.phase, new.before) == (name, state.before)
        np.testing.assert_array_equal(solver.output(new), phase.output(phase.step(problem, state.now))[0])


def descent():
    """A state of the descent from X0."""
    problem, state = worse("first order")
    return SOLVER, problem, SOLVER.step(problem, state)


# --- what the rows mean ---


@pytest.mark.parametrize("name", ["first order", "late first order"])
def test_a_run_that_would_end_above_its_start_descends_from_there(name):
    """From X0 itself, by steps that never raise the smoothed f, and it stays with them."""
    problem, state = worse(name)
    new = SOLVER.step(problem, state)
    X0 = state.now.memory.start.X
    np.testing.assert_allclose(new.now.X, X0, atol=1e-14)
    after = steps(SOLVER, problem, new, 60)
    assert {state.phase for state in after} == {"descent"}
    assert problem.value(stiefel.polar(SOLVER.output(after[-1]))) <= problem.value(X0)


def test_a_refused_polish_goes_back_to_the_state_that_it_left():
    """The same iterates; only the next polish is due later."""
    problem, state = near("first order")
    trying = STINGY.step(problem, state)
    assert (trying.phase, trying.before.phase) == ("polish", "first order")
    np.testing.assert_array_equal(STINGY.output(trying), STINGY.output(trying.before))
    back = STINGY.step(problem, trying)
    assert back.phase == "first order"
    assert 0 < back.now.memory.polish_at < trying.before.now.residual
    kept = replace(back.now, memory=trying.before.now.memory)
    assert all(getattr(kept, field) is getattr(trying.before.now, field) for field in vars(kept))


def test_a_polish_is_tried_again_only_where_it_has_failed():
    """After a failure at a smaller residual, after a success not at all."""
    problem, state = near("first order")
    refused = steps(STINGY, problem, state, 2)[-1]
    assert refused.now.memory.polish_at > 0
    found = steps(SOLVER, problem, state, 3)[-1]
    assert (found.phase, found.now.memory.polish_at) == ("late first order", 0.0)
    assert "polish" not in {state.phase for state in steps(SOLVER, problem, found, 20)}


@pytest.mark.parametrize("helps", [True, False])
def test_a_slow_run_with_a_large_sparse_x_is_polished_or_goes_on(helps):
    """Not by Newton's method for the smoothed problem, whose steps are dear there."""
    solver = SOLVER if helps else STINGY
    problem, state = large()
    state = with_memory(with_iterate(state, monitor=SLOW), polish_at=0.0)
    trying, new = steps(solver, problem, state, 2)
    assert trying.phase == "polish"
    if helps:
        assert new.phase == "polish"
        new = solver.step(problem, new)
        assert new.phase == "late first order"
        found = solver.phases["polish"].step(problem, trying.now)
        np.testing.assert_array_equal(solver.output(new), found.point.X)
    else:
        assert new.phase == "first order"
        assert new.now.monitor == StagnationMonitor()
        assert new.now.memory.safety > state.now.memory.safety


def test_a_small_slow_run_goes_over_to_newton():
    problem, state = stagnated("first order")
    assert SOLVER.step(problem, state).phase == "smoothing Newton"


def test_a_narrow_run_that_stagnates_converges_by_proximal_newton_steps():
    """Compressed modes of 1,024 points: smoothed Newton steps do not end within 5,000
    iterations.
    """
    problem, solver = op.problems.compressed_modes(1024, 4, 0.1), Adaptive()
    X0 = stiefel.random_point(1024, 4, seed=0)
    assert solver.init(problem, X0).phase == "narrow first order"
    result = op.minimize(problem, X0, max_iterations=2000)
    assert result.converged
    assert max(result.history["newton"]) == 1
    assert max(result.history["nu"]) == 0


@pytest.mark.parametrize(("m", "n", "phase"), [(100, 4, "small"), (1000, 16, "narrow"), (1000, 17, ""), (70_000, 15, "")])
def test_the_first_phase_depends_on_the_shape(m, n, phase):
    problem = op.Problem(op.smooth.Quadratic(eye_array(m)), op.nonsmooth.L1(20.0), (m, n))
    found = Adaptive().init(problem, np.eye(m, n)).phase
    assert found == f"{phase} first order".strip()


def test_the_safety_factor_grows_where_all_step_rules_are_slow_after_newton():
    """At the edge of stability a run can cycle for ever; each time that all step rules have failed,
    c gets a margin, and the step rules begin again, without inertia.
    """
    problem, state = stagnated("late first order")
    new, late = SOLVER.step(problem, state), SOLVER.phases["late first order"]
    assert new.now.memory.safety > state.now.memory.safety
    assert new.now.monitor == StagnationMonitor(late.rule, 2 * SETTINGS.patience)
    assert late.rule > SOLVER.phases["first order"].rule


def test_a_divergence_after_newton_is_no_reason_to_go_there_again():
    problem, state = lost("late first order")
    new = SOLVER.step(problem, state)
    assert (new.phase, new.now.memory.divergences) == ("late first order", state.now.memory.divergences + 1)


def test_a_smooth_problem_has_newtons_method_alone():
    """There is no support to find."""
    problem = op.Problem(small()[0].smooth, op.nonsmooth.Zero(), (20, 4))
    first = SOLVER.init(problem, stiefel.random_point(20, 4, seed=0))
    assert {state.phase for state in [first, *steps(SOLVER, problem, first, 30)]} == {"descent"}


def test_without_newton_a_run_has_the_first_order_phase_alone():
    problem, state = small()
    solver = Adaptive(newton=False)
    first = solver.init(problem, state.now.memory.start.X)
    assert {state.phase for state in [first, *steps(solver, problem, first, 400)]} == {"first order alone"}
