"""The work of a run, with every method."""

import pytest

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS
from counting import counting_problem
from orthoprox import nonsmooth
from orthoprox.problems.work import Work
from orthoprox.smooth import Function
from orthoprox.stopping import MaxIterations, Stationary
from small_problems import ELL, SMOOTH, SPARSE, X0

BARE = Function(ELL.value, ELL.grad)  # neither a Lipschitz constant nor a resolvent


@pytest.mark.parametrize("bare", [False, True], ids=["quadratic", "function"])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_counting_term_finds_the_work_of_a_run(name, bare):
    problem, found = SMOOTH if name in SMOOTH_ONLY else SPARSE, Work()
    problem = op.Problem(BARE, problem.nonsmooth, problem.shape) if bare else problem
    result = op.solve(counting_problem(problem, found), SOLVERS[name], X0, stop=Stationary(1e-6) | MaxIterations(40))
    found.runs = 1
    assert result.work == found
    assert [part.name for part in result.phases] == ["run", "certificate"]
    assert sum(part.gradients for part in result.phases) == found.gradients
    assert sum(part.seconds for part in result.phases) == result.seconds
    assert {part.objective for part in result.phases} == {result.projected_objective}


def test_the_first_part_of_a_run_is_the_method_alone():
    """LSALM evaluates one gradient and one prox in each iteration, and one of both at its first
    state; certificates are counted apart.
    """
    stop, work = MaxIterations(25), {}
    for every in (1, 1000):
        result = op.solve(SPARSE, op.LSALM(), X0, stop=stop, every=every)
        work[every] = {part.name: part.gradients for part in result.phases}
    assert work[1]["run"] == work[1000]["run"] == 26
    assert work[1]["certificate"] > work[1000]["certificate"]


def test_counting_changes_no_iterate():
    solver, problem = op.LSALM(), op.Problem(ELL, nonsmooth.L1(0.1), (20, 3))
    state = solver.init(problem, X0)
    for _ in range(25):
        state = solver.step(problem, state)
    assert (op.solve(problem, solver, X0, stop=MaxIterations(25)).X == state.X).all()
