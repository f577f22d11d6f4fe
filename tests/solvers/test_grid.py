"""Every method on every problem that it can take: what it returns, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS, float_parameters, normal
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.solvers import Adaptive
from orthoprox.stopping import MaxIterations, Stationary, Status
from small_problems import PROBLEMS, SMOOTH, X0, A, B, run


def locked(X):
    """X, which nobody can change any more."""
    X.flags.writeable = False
    return X


def lacking(name, problem):
    """What a method needs and a problem lacks."""
    return [ability for ability in SOLVERS[name].needs if ability.lacking_in(PROBLEMS[problem])]


GRID = [(name, problem) for name in SOLVERS for problem in PROBLEMS if not lacking(name, problem)]
REFUSED = [(name, problem) for name in SOLVERS for problem in PROBLEMS if lacking(name, problem)]
MEASURED = "objective", "projected_objective", "feasibility", "sparsity"
INSIDE = {"adaptive", "lsalm", "soc", "pamal", "radmm", "madmm", "manial", "mialm"}  # whose X ends in the domain of g


@pytest.mark.parametrize(("name", "problem"), [row for row in GRID if row[1] != "Nonnegative" or row[0].split()[0] in INSIDE])
def test_every_method_improves_every_problem_it_takes(name, problem):
    """The point is on the manifold and better than the start; every number belongs to it; the same
    run gives the same point.
    """
    solver, problem = SOLVERS[name], PROBLEMS[problem]
    start, stop = locked(stiefel.random_point(*problem.shape, seed=1)), Stationary(1e-6) | MaxIterations(400)
    seen = []

    def record(now):
        if now.iteration:
            seen.append({residual: float(value()) for residual, value in now.residuals.items()})

    result = op.solve(problem, solver, start, stop=stop, callback=record)
    X = result.projected() if solver.facts.retraction_free or isinstance(solver, Adaptive) else result.X
    assert stiefel.norm(stiefel.defect(X)) <= 1e-12
    assert np.isfinite(problem.value(X))
    assert problem.value(X) < problem.value(start)

    assert len(seen) == result.iterations
    assert all({"step", "constraint", "prox"} <= row.keys() for row in seen)
    assert all(0 <= value < np.inf for row in seen for value in row.values())

    assert {len(column) for column in result.history.values()} == {len(result.history["iteration"])}
    assert np.all(np.diff(result.history["iteration"]) > 0)
    measured = [*zip(*(result.history[name] for name in MEASURED), strict=True)]
    if result.status is not Status.STALLED:  # else the best point is returned, which may be an earlier one
        measured = measured[-1:]
    assert tuple(getattr(result.measurement, name) for name in MEASURED) in measured
    assert result.iterations == result.history["iteration"][-1]

    again = op.solve(problem, solver, start, stop=stop)
    assert again.iterations == result.iterations
    np.testing.assert_array_equal(again.X, result.X)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_front_door_knows_every_method(name):
    """minimize(method=...) takes a registered name or an instance; the multiplier and the
    parameters are reported.
    """
    method = name if name in op.SOLVERS else SOLVERS[name]
    result = op.minimize(SMOOTH, method=method, seed=2, stop=MaxIterations(3) & op.stopping.Below(step=1e9) | MaxIterations(9))
    assert type(result.solver) is type(SOLVERS[name])
    assert all(isinstance(value, float) for value in result.parameters.values())
    assert result.multiplier is None or np.array_equal(result.multiplier, result.multiplier.T)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 1), (20, 20)])
@pytest.mark.parametrize("name", SOLVERS)
def test_border_shapes_and_empty_data(name, shape):
    """One row, one column, square X; data that are zero, a linear part alone: finite points and
    finite bounds.
    """
    data, linear, nothing = normal(1, 8, shape[0]), np.ones(shape), np.zeros((shape[0], shape[0]))
    terms = [smooth.Variance(data), smooth.Quadratic(data.T @ data, linear), smooth.Quadratic(nothing)]
    for ell in (*terms, smooth.Quadratic(nothing, linear)):
        for g in [Zero()] if name in SMOOTH_ONLY else [Zero(), L1(0.1), L21(0.1)]:
            result = op.solve(op.Problem(ell, g, shape), SOLVERS[name], stiefel.random_point(*shape), stop=MaxIterations(4))
            assert result.status is Status.ITERATIONS
            assert np.all(np.isfinite(result.X))
            assert np.isfinite(result.certificate.upper)


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "soc"])  # its multipliers have to be found first
def test_a_stationary_start_is_kept(name):
    """At the eigenvectors of A nothing moves, and no division by a step of length 0 makes NaN."""
    Q = np.linalg.eigh(A)[1][:, :3]
    problem = op.Problem(smooth.Quadratic(A), Zero(), (20, 3))
    state = run(SOLVERS[name], problem, Q, 20)[-1]
    np.testing.assert_allclose(SOLVERS[name].output(state), Q, atol=1e-6)


ABSOLUTE = {"manpg published", "rsm diminishing", "plam fixed", "pcal fixed"}  # whose constants have a unit


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in ABSOLUTE])
def test_scaling_the_objective_changes_nothing(name):
    """f -> c f with c a power of four leaves the iterates as they are: defaults and inner rules
    have no unit.
    """
    data, points = op.datasets.five_components(50, 20), []
    for root in (1.0, 2.0**-10, 2.0**10):
        g = Zero() if name in SMOOTH_ONLY else L1(0.3 * root**2)
        problem = op.Problem(smooth.Variance(root * data), g, (20, 3))
        points.append(SOLVERS[name].output(run(SOLVERS[name], problem, X0, 30)[-1]))
    for point in points[1:]:
        np.testing.assert_allclose(point, points[0], atol=1e-6)


class Untouchable:
    """A smooth term that must not be evaluated."""

    def __call__(self, X):
        raise AssertionError("work was done before the abilities were checked")


@pytest.mark.parametrize(("name", "problem"), REFUSED)
def test_what_a_method_cannot_do_is_said_before_any_work(name, problem):
    """The sentence names the method, what it needs and the term that lacks it; no term is
    evaluated.
    """
    solver, g = SOLVERS[name], PROBLEMS[problem].nonsmooth
    untouchable = op.Problem(smooth.Function(Untouchable(), Untouchable()), g, PROBLEMS[problem].shape)
    ability = lacking(name, problem)[0]
    sentence = f"{solver.facts.name} needs {ability.needed}; {type(g).__name__} {ability.lacking}"
    with pytest.raises(TypeError, match=f"^{sentence}. Choose another method.$"):
        op.solve(untouchable, solver, stiefel.random_point(*untouchable.shape))


def test_the_grid_is_not_empty_on_either_side():
    """Every method takes g = 0; ManPG wants the derivative of a prox, RSM a subgradient, the smooth
    methods nothing else.
    """
    assert {name for name, problem in GRID if problem == "Zero"} == set(SOLVERS)
    assert SMOOTH_ONLY < {name for name, _ in REFUSED}
    taken = {name: [problem for method, problem in GRID if method == name] for name in ("manpg", "rsm", "landing")}
    assert set(taken["manpg"]) == {"sparse_pca", "quadratic", "compressed_modes", "L21", "Zero"}
    assert set(taken["rsm"]) == {*taken["manpg"], "MCP", "Nonnegative"}
    assert taken["landing"] == ["Zero"]


def numbers(solver):
    """The parameters of a method that are numbers, with a value that will do for each and is exact
    in any precision.
    """
    return {name: 2.0 if (getattr(solver, name) or 0) >= 1 else 0.5 for name in float_parameters(type(solver))}


@pytest.mark.parametrize("dress", [np.float64, np.array, Fraction, np.float32], ids=lambda dress: dress.__name__)
@pytest.mark.parametrize("name", [name for name in op.SOLVERS if name not in ("lsalm", "adaptive")])
def test_parameters_in_any_dress_are_plain_numbers(name, dress):
    """A parameter given as a NumPy number, an array of no dimensions or a fraction is a float, and
    X keeps its precision.
    """
    kind = op.SOLVERS[name]
    given = numbers(kind())
    solver = kind(**{key: dress(value) for key, value in given.items()})
    assert solver == kind(**given)
    assert {type(getattr(solver, key)) for key in given} == {float}
    single = smooth.Quadratic(A.astype(np.float32), B.astype(np.float32))
    problem = op.Problem(single, Zero() if name in SMOOTH_ONLY else L1(0.1), (20, 3))
    start = X0.astype(np.float32)
    for state in run(solver, problem, start, 3):
        assert solver.output(state).dtype == np.float32
