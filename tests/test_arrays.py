"""The array standard: other libraries give the same numbers, and leading axes are batches of problems."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import (
    BOX,
    NONSMOOTH,
    SHAPE,
    SMOOTH,
    SMOOTH_ONLY,
    SOLVERS,
    WEIGHTS,
    M,
    N,
    nonsmooth_terms,
    normal,
    smooth_terms,
    symmetric,
)
from orthoprox._arrays.library import from_numpy, identity, is_array, namespace, precision, to_numpy
from orthoprox._linalg import stiefel
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox.nonsmooth.base import HasProxDerivative, HasSubdifferential
from orthoprox.smooth.base import HasLipschitz, HasResolvent, HasWeakConvexity
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers._shared import sets

STRICT_SMOOTH, STRICT_NONSMOOTH = smooth_terms(strict.asarray), nonsmooth_terms(strict.asarray)
BATCH = 4
COLUMN = (BATCH, 1, 1)  # the shape of one number for each problem


def same(result, expected):
    """The array of the strict library is the one of NumPy, to 1e-12."""
    assert isinstance(result, type(strict.asarray(0.0)))
    assert str(result.dtype).rpartition(".")[2] == str(expected.dtype)
    np.testing.assert_allclose(to_numpy(result), expected, rtol=1e-12, atol=1e-12)


def equals_stack(batch, singles):
    """A batched result is the stack of the results of single calls."""
    np.testing.assert_allclose(batch, np.stack(singles), rtol=1e-12, atol=1e-12)


# --- the adapter ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("xp", [np, strict], ids=["numpy", "strict"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_travel_to_and_from_numpy(xp, dtype):
    """to_numpy and from_numpy are inverse to each other; precision and identity follow dtype and library."""
    X = xp.asarray(normal(0, 3, 2), dtype=getattr(xp, dtype))
    assert is_array(X)
    assert not is_array([[1.0]])
    there = to_numpy(X)
    assert type(there) is np.ndarray
    back = from_numpy(there, like=X)
    assert type(back) is type(X)
    assert back.dtype == X.dtype
    np.testing.assert_array_equal(to_numpy(back), there)
    assert precision(X) == np.finfo(dtype).eps
    assert identity(2, X).dtype == X.dtype
    assert namespace(identity(2, X)) is namespace(X)


# --- another library --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STRICT_SMOOTH)
@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_smooth_terms_follow_the_standard(name, leading):
    """Values, gradients and Lipschitz constants of a strict library are those of NumPy."""
    ell, twin, X = STRICT_SMOOTH[name], SMOOTH[name], normal(0, *leading, *SHAPE)
    XX = strict.asarray(X)
    same(ell.value(XX), twin.value(X))
    same(ell.grad(XX), twin.grad(X))
    for result, expected in zip(ell.value_and_grad(XX), twin.value_and_grad(X), strict=True):
        same(result, expected)
    assert lipschitz(ell, XX) == pytest.approx(lipschitz(twin, X), rel=1e-12)
    if isinstance(twin, HasWeakConvexity):
        assert ell.modulus == pytest.approx(twin.modulus, rel=1e-12)
    if isinstance(twin, HasResolvent):
        c = 2 * twin.modulus + 1
        same(ell.resolvent(c)(XX), twin.resolvent(c)(X))
        same(ell.resolvents()(c)(XX), twin.resolvents()(c)(X))


@pytest.mark.parametrize("name", STRICT_NONSMOOTH)
@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_nonsmooth_terms_follow_the_standard(name, leading):
    """Values, proxes, subgradients and slopes of a strict library are those of NumPy; t may be an array."""
    g, twin = STRICT_NONSMOOTH[name], NONSMOOTH[name]
    X, V = normal(0, *leading, *SHAPE), normal(1, *leading, *SHAPE)
    XX, VV = strict.asarray(X), strict.asarray(V)
    same(g.value(XX), twin.value(X))
    for t in (0.3, np.asarray(0.3), np.full((2, 1, 1), 0.3))[: 3 if leading else 2]:
        same(g.prox(XX, t if isinstance(t, float) else strict.asarray(t)), twin.prox(X, t))
    P, PP = twin.prox(X, 0.3), g.prox(XX, 0.3)
    same(g.value(PP), twin.value(P))
    if isinstance(twin, HasSubdifferential):
        same(g.min_norm_subgradient(PP, VV), twin.min_norm_subgradient(P, V))
        same(g.directional_derivative(PP, VV), twin.directional_derivative(P, V))
        W = twin.prox(V, 0.1) - P  # a direction of finite slope
        same(g.directional_derivative(PP, strict.asarray(W)), twin.directional_derivative(P, W))
    if isinstance(twin, HasProxDerivative):
        same(g.prox_derivative(XX, 0.3)(VV), twin.prox_derivative(X, 0.3)(V))


@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_geometry_follows_the_standard(leading):
    """Every function of points and the sets of a strict library are those of NumPy, in all branches of polar."""
    X, Y = normal(0, *leading, *SHAPE), normal(1, *leading, *SHAPE)
    XX, YY = strict.asarray(X), strict.asarray(Y)
    same(stiefel.norm(XX), stiefel.norm(X))
    same(stiefel.inner(XX, YY), stiefel.inner(X, Y))
    same(stiefel.sym(XX.mT @ YY), stiefel.sym(X.mT @ Y))
    same(stiefel.defect(XX), stiefel.defect(X))
    same(stiefel.tangent(XX, YY), stiefel.tangent(X, Y))
    same(stiefel.qr(XX), stiefel.qr(X))
    same(stiefel.polar((1 + 1e-10) * stiefel.polar(XX)), stiefel.polar((1 + 1e-10) * stiefel.polar(X)))
    same(stiefel.polar(XX), stiefel.polar(X))
    same(stiefel.polar(XX * strict.nan), stiefel.polar(X * np.nan))
    thin = np.array([1.0, 1.0, 1e-3])
    same(stiefel.polar(XX * strict.asarray(thin)), stiefel.polar(X * thin))
    for region in (sets.Everything(), sets.Ball(0.5), sets.Ball(50.0), sets.Cube(0.5)):
        same(region.project(XX), region.project(X))


def test_conjugate_gradients_follow_the_standard():
    """The Krylov solver of a strict library is that of NumPy."""
    A, B = symmetric(0, 5) @ symmetric(0, 5), normal(1, 5, 2)
    AA, BB = strict.asarray(A), strict.asarray(B)
    result = conjugate_gradients(lambda P: AA @ P, BB, tol=1e-3, max_iterations=50)
    same(result, conjugate_gradients(lambda P: A @ P, B, tol=1e-3, max_iterations=50))


def pairs():
    """Problems in NumPy and in the strict library, each smooth and each nonsmooth term at least once."""
    terms = [
        ("Variance tall", "L1 weighted"),
        ("Variance wide", "L1 bounded"),
        ("Quadratic linear", "MCP"),
        ("Quadratic linear", "SCAD"),
        ("Quadratic", "L21"),
        ("Quadratic", "Box entrywise"),
        ("Function log-cosh", "Nonnegative"),
        ("Function log-cosh", "Function ridge"),
        ("Matching", "Zero"),
        ("Variance tall", "Zero"),
    ]
    return {
        f"{ell} + {g}": (
            op.Problem(SMOOTH[ell], NONSMOOTH[g], SHAPE),
            op.Problem(STRICT_SMOOTH[ell], STRICT_NONSMOOTH[g], SHAPE),
        )
        for ell, g in terms
    }


def penalty_for(name):
    """A nonsmooth term for a method: none for those that need a smooth objective."""
    return "Zero" if name in SMOOTH_ONLY else "L1 weighted"


every_pair = pytest.mark.parametrize("pair", pairs().values(), ids=pairs())


@every_pair
@pytest.mark.parametrize("dual_radius", [None, 0.5])
def test_lsalm_follows_the_standard(pair, dual_radius):
    """Every array of every state, every parameter and every residual is the same for ten steps."""
    problem, twin = pair
    solver = op.LSALM(dual_radius=dual_radius)
    X0 = stiefel.random_point(*SHAPE)
    state, mirror = solver.init(problem, X0), solver.init(twin, strict.asarray(X0))
    assert solver.parameters(mirror) == pytest.approx(solver.parameters(state), rel=1e-12)
    for _ in range(10):
        for name in ("X", "Y", "Z", "G", "D"):
            same(getattr(mirror, name), getattr(state, name))
        old, reflected = state, mirror
        state, mirror = solver.step(problem, old), solver.step(twin, reflected)
        residuals, echoes = solver.residuals(problem, old, state), solver.residuals(twin, reflected, mirror)
        for name, residual in residuals.items():
            same(echoes[name](), residual())


@every_pair
def test_certificates_follow_the_standard(pair):
    """A certificate bounds the same distance in both libraries, and its arrays stay in theirs."""
    problem, twin = pair
    X = stiefel.random_point(*SHAPE, seed=1)
    proof, echo = op.certificate(problem, X), op.certificate(twin, strict.asarray(X))
    for name in ("distance", "feasibility", "upper", "lower", "gradient", "subgradient"):
        assert getattr(echo, name) == pytest.approx(getattr(proof, name), rel=1e-12, abs=1e-12)
    same(echo.point, proof.point)
    same(echo.multiplier, proof.multiplier)


@pytest.mark.parametrize("name", SOLVERS)
def test_solve_follows_the_standard(name):
    """A whole run in a strict library: the same history, the same point, and the point is an array of that library."""
    problem, twin = pairs()[f"Variance tall + {penalty_for(name)}"]
    X0 = stiefel.random_point(*SHAPE)
    stop = op.stopping.MaxIterations(40)
    result = op.solve(problem, SOLVERS[name], X0, stop=stop)
    echo = op.solve(twin, SOLVERS[name], strict.asarray(X0), stop=stop)
    same(echo.X, result.X)
    same(echo.projected(), result.projected())
    assert echo.iterations == result.iterations
    for column in ("objective", "projected_objective", "feasibility", "stationarity", "sparsity"):
        np.testing.assert_allclose(echo.history[column], result.history[column], rtol=1e-12, atol=1e-12)
    assert "Result of" in repr(echo)
    assert echo.to_dict(arrays=True)["X"] == to_numpy(echo.X).tolist()


def test_minimize_follows_the_standard():
    """The front door accepts a start in another library and converges in it."""
    _, twin = pairs()["Quadratic linear + MCP"]
    result = op.minimize(twin, strict.asarray(stiefel.random_point(*SHAPE)), tol=1e-3)
    assert result.converged
    assert isinstance(result.X, type(strict.asarray(0.0)))


@pytest.mark.parametrize("name", SOLVERS)
def test_runs_keep_single_precision(name):
    """float32 data and a float32 start give a float32 point; NumPy numbers as parameters do not change that."""

    def single(A):
        return A.astype(np.float32)

    problem = op.Problem(smooth_terms(single)["Variance tall"], nonsmooth_terms(single)[penalty_for(name)], SHAPE)
    X0 = single(stiefel.random_point(*SHAPE))
    stop = op.stopping.MaxIterations(10)
    result = op.solve(problem, SOLVERS[name], X0, stop=stop)
    assert result.X.dtype == np.float32
    assert result.multiplier is None or result.multiplier.dtype == np.float32
    numbers = op.LSALM(rho=np.float64(5.0), lam=np.float64(0.005), r=np.float64(10.0), alpha=np.int64(5))
    assert op.solve(problem, numbers, X0, stop=stop).X.dtype == np.float32


# --- batches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", smooth_terms())
def test_smooth_terms_take_batches_of_points(name):
    """One term at many points: each number and each gradient is that of a single call."""
    ell, X = SMOOTH[name], normal(0, BATCH, *SHAPE)
    value, grad = ell.value_and_grad(X)
    assert value.shape == (BATCH,)
    for values in (value, ell.value(X)):
        equals_stack(values, [ell.value(x) for x in X])
    for grads in (grad, ell.grad(X)):
        equals_stack(grads, [ell.grad(x) for x in X])


def test_smooth_terms_take_batches_of_data():
    """Many terms at many points: data with leading axes are one term for each problem."""
    A, B = np.stack([symmetric(k, M) for k in range(BATCH)]), normal(1, BATCH, M, N)
    for rows in (20, 2):
        data, X = normal(2, BATCH, rows, M), normal(3, BATCH, M, N)
        quadratic, variance = op.smooth.Quadratic(A, B), op.smooth.Variance(data)
        for batch, singles in (
            (quadratic, [op.smooth.Quadratic(a, b) for a, b in zip(A, B, strict=True)]),
            (variance, [op.smooth.Variance(a) for a in data]),
        ):
            equals_stack(batch.value(X), [ell.value(x) for ell, x in zip(singles, X, strict=True)])
            equals_stack(batch.grad(X), [ell.grad(x) for ell, x in zip(singles, X, strict=True)])
            assert isinstance(batch, HasLipschitz)
            assert batch.lipschitz == pytest.approx(max(ell.lipschitz for ell in singles), rel=1e-3)


@pytest.mark.parametrize("name", NONSMOOTH)
def test_nonsmooth_terms_take_batches_of_points(name):
    """One term at many points, with one step or one step for each point."""
    g, X, V = NONSMOOTH[name], normal(0, BATCH, *SHAPE), normal(1, BATCH, *SHAPE)
    steps = np.linspace(0.1, 0.9, BATCH)
    P = g.prox(X, steps.reshape(COLUMN))
    equals_stack(P, [g.prox(x, t) for x, t in zip(X, steps, strict=True)])
    equals_stack(g.prox(X, 0.5), [g.prox(x, 0.5) for x in X])
    for points in (X, P):
        assert g.value(points).shape == (BATCH,)
        equals_stack(g.value(points), [g.value(x) for x in points])
    if isinstance(g, HasSubdifferential):
        equals_stack(g.min_norm_subgradient(P, V), [g.min_norm_subgradient(p, v) for p, v in zip(P, V, strict=True)])
        equals_stack(g.directional_derivative(P, V), [g.directional_derivative(p, v) for p, v in zip(P, V, strict=True)])
    if isinstance(g, HasProxDerivative):
        J = g.prox_derivative(X, steps.reshape(COLUMN))(V)
        equals_stack(J, [g.prox_derivative(x, t)(v) for x, t, v in zip(X, steps, V, strict=True)])
        J = g.prox_derivative(X[0], 0.5)(V)  # one point, many directions
        equals_stack(J, [g.prox_derivative(X[0], 0.5)(v) for v in V])


def test_nonsmooth_terms_take_batches_of_weights():
    """Weights and bounds with leading axes are one term for each problem."""
    mu, X, V = np.linspace(0, 1, BATCH), normal(0, BATCH, *SHAPE), normal(1, BATCH, *SHAPE)
    weights = mu.reshape(COLUMN) * WEIGHTS
    families = [
        (op.nonsmooth.L1(mu.reshape(COLUMN)), [op.nonsmooth.L1(w) for w in mu]),
        (op.nonsmooth.L1(weights), [op.nonsmooth.L1(w) for w in weights]),
        (op.nonsmooth.Box(-mu.reshape(COLUMN), BOX[1]), [op.nonsmooth.Box(-w, BOX[1]) for w in mu]),
    ]
    for batch, singles in families:
        P = batch.prox(X, 0.5)
        equals_stack(P, [g.prox(x, 0.5) for g, x in zip(singles, X, strict=True)])
        equals_stack(batch.value(P), [g.value(p) for g, p in zip(singles, P, strict=True)])
        equals_stack(
            batch.min_norm_subgradient(P, V), [g.min_norm_subgradient(p, v) for g, p, v in zip(singles, P, V, strict=True)]
        )


def test_geometry_takes_batches():
    """Each function of a batch is the batch of its values, for two leading axes too."""
    X, Y = normal(0, 2, BATCH, *SHAPE), normal(1, 2, BATCH, *SHAPE)
    flat, other = X.reshape(-1, *SHAPE), Y.reshape(-1, *SHAPE)
    assert stiefel.norm(X).shape == (2, BATCH)
    equals_stack(stiefel.norm(X).ravel(), [stiefel.norm(x) for x in flat])
    equals_stack(stiefel.inner(X, Y).ravel(), [stiefel.inner(x, y) for x, y in zip(flat, other, strict=True)])
    turned = [stiefel.qr, lambda X: stiefel.sym(X.mT @ X[..., :, ::-1]), lambda X: stiefel.tangent(X, X[..., ::-1, :])]
    for function in (stiefel.defect, stiefel.polar, *turned):
        equals_stack(function(X).reshape(2 * BATCH, *function(flat[0]).shape), [function(x) for x in flat])


@pytest.mark.parametrize("kind", [sets.Ball, sets.Cube])
def test_sets_take_batches(kind):
    """One radius for all points, or one for each; a projected point is in the set, and one in the set does not move."""
    X, radius = normal(0, BATCH, *SHAPE), np.array([0.1, 0.5, 3.0, 100.0])
    equals_stack(kind(0.5).project(X), [kind(0.5).project(x) for x in X])
    P = kind(radius.reshape(COLUMN)).project(X)
    equals_stack(P, [kind(c).project(x) for x, c in zip(X, radius, strict=True)])
    sizes = stiefel.norm(P) if kind is sets.Ball else np.max(np.abs(P), axis=(-2, -1))
    assert np.all(sizes <= radius * (1 + 1e-15))
    np.testing.assert_array_equal(P[-1], X[-1])
    np.testing.assert_allclose(kind(radius.reshape(COLUMN)).project(P), P, rtol=1e-15)


@pytest.mark.parametrize("kind", [sets.Ball, sets.Cube])
def test_projections_are_nearest(kind):
    """<X - P, Q - P> <= 0 for P = proj(X) and every Q in the set."""
    region = kind(0.7)
    for seed in range(10):
        X, Q = 2 * normal(seed, *SHAPE), region.project(normal(seed + 100, *SHAPE))
        P = region.project(X)
        assert stiefel.inner(X - P, Q - P) <= 1e-12
    np.testing.assert_array_equal(region.project(np.zeros(SHAPE)), np.zeros(SHAPE))


def parameters():
    """A different value of each parameter for each problem of the batch."""
    rng = np.random.default_rng(0)
    scales = {"rho": 5.0, "lam": 0.01, "r": 10.0, "alpha": 5.0, "beta": 0.5, "eps": 1e-3}
    return {name: scale * rng.uniform(0.5, 1.5, BATCH) for name, scale in scales.items()}


@pytest.mark.parametrize("xp", [np, strict], ids=["numpy", "strict"])
@pytest.mark.parametrize("penalty", ["L1", "MCP", "Nonnegative"])
def test_lsalm_runs_batches(xp, penalty):
    """A batch of problems, each with its own data and parameters, takes the steps that each would take alone."""
    A, B = np.stack([symmetric(k, M) for k in range(BATCH)]), normal(1, BATCH, M, N)
    Y0 = np.stack([symmetric(k, N) for k in range(BATCH)])
    X0 = np.stack([stiefel.random_point(M, N, seed=k) for k in range(BATCH)])
    values, g = parameters(), NONSMOOTH[penalty]

    columns = {name: xp.asarray(v.reshape(COLUMN)) for name, v in values.items()}
    together = op.LSALM(**columns, box=0.5, dual_radius=3.0, Y0=xp.asarray(Y0))
    problem = op.Problem(op.smooth.Quadratic(xp.asarray(A), xp.asarray(B)), g, SHAPE)
    state = together.init(problem, xp.asarray(X0))
    numbers = [{name: v[k] for name, v in values.items()} for k in range(BATCH)]
    alone = [op.LSALM(**given, box=0.5, dual_radius=3.0, Y0=y) for given, y in zip(numbers, Y0, strict=True)]
    problems = [op.Problem(op.smooth.Quadratic(a, b), g, SHAPE) for a, b in zip(A, B, strict=True)]
    states = [solver.init(p, x) for solver, p, x in zip(alone, problems, X0, strict=True)]
    for _ in range(8):
        old, state = state, together.step(problem, state)
        olds, states = states, [solver.step(p, s) for solver, p, s in zip(alone, problems, states, strict=True)]
        for name in ("X", "Y", "Z", "G", "D"):
            equals_stack(to_numpy(getattr(state, name)), [getattr(s, name) for s in states])
        residuals = together.residuals(problem, old, state)
        for name, residual in residuals.items():
            singles = [solver.residuals(p, o, s)[name]() for solver, p, o, s in zip(alone, problems, olds, states, strict=True)]
            equals_stack(to_numpy(residual()), singles)


@pytest.mark.parametrize("xp", [np, strict], ids=["numpy", "strict"])
def test_open_parameters_of_a_batch_are_safe_for_all(xp):
    """Parameters left out follow from those given, problem by problem, also where some have no penalty."""
    problem = op.Problem(op.smooth.Quadratic(xp.asarray(symmetric(0, M))), op.nonsmooth.L1(0.1), SHAPE)
    rho = np.array([0.0, 1.0, 10.0, 100.0])
    X0 = np.stack([stiefel.random_point(M, N)] * BATCH)
    together = op.LSALM(rho=xp.asarray(rho.reshape(COLUMN)))
    p = together.init(problem, xp.asarray(X0)).p
    for k in range(BATCH):
        single = op.LSALM(rho=rho[k]).init(problem, xp.asarray(X0[k])).p
        for name in ("rho", "lam", "r", "alpha", "eps"):
            assert float(getattr(p, name)[k, 0, 0]) == pytest.approx(getattr(single, name), rel=1e-12)
        assert p.beta == single.beta
