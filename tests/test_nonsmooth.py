"""Nonsmooth terms: values, proxes, subdifferentials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize

import orthoprox as op
from cases import EXAMPLES, NAIVE, NONSMOOTH, SEEDS, SHAPE, WEIGHTS, N, nonsmooth_terms, normal
from orthoprox._linalg.stiefel import inner, norm
from orthoprox.checks import check_prox
from orthoprox.nonsmooth import L1, L21, MCP, SCAD, Box, Function, Nonnegative, Zero
from orthoprox.nonsmooth.base import HasProxDerivative, HasSubdifferential
from orthoprox.nonsmooth.separable import Separable

STEPS = st.floats(0.01, 0.99)
SPREADS = st.sampled_from([0.1, 1.0, 3.0])
every_term = pytest.mark.parametrize("name", NONSMOOTH)
every_subdifferential = pytest.mark.parametrize("name", [n for n, g in NONSMOOTH.items() if isinstance(g, HasSubdifferential)])


def kinked(g, seed):
    """A point of the domain of g with exact zeros and with entries on its border, wherever g has those."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(SHAPE) < 0.2, 0.0, rng.standard_normal(SHAPE))
    X[rng.integers(SHAPE[0])] = 0.0
    return g.prox(X, 0.3)


def subgradient(g, X, seed):
    """An element of dg(X), the one next to a random matrix."""
    W = 3 * normal(seed, *SHAPE)
    return g.min_norm_subgradient(X, W) - W


# --- values and proxes ------------------------------------------------------------------------------------------------


@every_term
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_minimises_its_model(name, seed, t, spread):
    """No P does better than prox_tg(X) in  g(P) + |P - X|^2 / 2t."""
    check_prox(NONSMOOTH[name], spread * normal(seed, *SHAPE), t, seed=seed)


@pytest.mark.parametrize("name", NAIVE)
@given(seed=SEEDS)
@EXAMPLES
def test_value_is_the_sum_over_the_entries(name, seed):
    """g(X) = sum_ij g_ij(x_ij), inside the domain and outside."""
    for X in (normal(seed, *SHAPE), kinked(NONSMOOTH[name], seed)):
        expected = sum(NAIVE[name](X[i, j], i, j) for i in range(SHAPE[0]) for j in range(N))
        assert NONSMOOTH[name].value(X) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_every_separable_term_has_a_naive_twin():
    """The grid search below leaves no separable term out."""
    assert {name for name, g in NONSMOOTH.items() if isinstance(g, Separable)} <= set(NAIVE)


@pytest.mark.parametrize("name", NAIVE)
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_of_an_entry_is_found_by_search(name, seed, t, spread):
    """The model is convex in each entry, so its best point on a grid of width h is within h of prox_tg(X)."""
    grid, h = np.linspace(-10, 10, 20_001, retstep=True)
    X = spread * np.clip(normal(seed, *SHAPE), -3, 3)
    P = NONSMOOTH[name].prox(X, t)
    for i, j in [(0, 0), (1, 1), (2, 2), (6, 0), (6, 1)]:
        best = grid[np.argmin(NAIVE[name](grid, i, j) + (grid - X[i, j]) ** 2 / (2 * t))]
        assert abs(P[i, j] - best) <= 1.01 * h


@given(seed=SEEDS, t=STEPS, spread=st.sampled_from([0.2, 1.0]))
@EXAMPLES
def test_prox_of_a_row_is_found_by_search(seed, t, spread):
    """The rows of prox_tg for g = mu |.|_21 minimise  mu |p| + |p - x|^2 / 2t."""
    g, X = NONSMOOTH["L21"], spread * normal(seed, *SHAPE)
    P = g.prox(X, t)
    for x, p in zip(X[:2], P[:2], strict=True):

        def model(q, x=x):
            return g.mu * np.linalg.norm(q) + np.sum((q - x) ** 2) / (2 * t)

        found = minimize(model, x, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-13}).x
        assert model(p) <= model(found) + 1e-13
        np.testing.assert_allclose(p, found, atol=1e-4)
    assert g.value(X) == pytest.approx(0.6 * sum(np.linalg.norm(x) for x in X), rel=1e-13)


@every_term
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_prox_and_value_keep_the_dtype(name, dtype):
    """A term computes in the precision that it is given."""
    g, X = nonsmooth_terms(lambda A: A.astype(dtype))[name], normal(0, *SHAPE).astype(dtype)
    assert g.prox(X, 0.5).dtype == dtype
    assert g.value(X).dtype == dtype
    if isinstance(g, HasSubdifferential):
        P = g.prox(X, 0.5)
        assert g.min_norm_subgradient(P, X).dtype == dtype
        assert g.directional_derivative(P, X).dtype == dtype
    if isinstance(g, HasProxDerivative):
        assert g.prox_derivative(X, 0.5)(X).dtype == dtype
    np.testing.assert_allclose(g.prox(X, 0.5), NONSMOOTH[name].prox(X.astype(float), 0.5), atol=1e-6)


@every_term
def test_methods_do_not_touch_their_input(name):
    """Terms are pure: X, V and W are the same before and after."""
    g = NONSMOOTH[name]
    X, V = kinked(g, 0), normal(1, *SHAPE)
    before = X.copy(), V.copy()
    X.flags.writeable = V.flags.writeable = False
    g.value(V), g.prox(V, 0.5)
    if isinstance(g, HasSubdifferential):
        g.min_norm_subgradient(X, V), g.directional_derivative(X, V)
    if isinstance(g, HasProxDerivative):
        g.prox_derivative(X, 0.5)(V)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(V, before[1])


@given(seed=SEEDS, t=STEPS, bound=st.floats(0.1, 2.0))
@EXAMPLES
def test_prox_of_l1_is_the_clipped_soft_threshold(seed, t, bound):
    """prox_tg(W) = sign(W) min(max(|W| - t mu, 0), c) for g = |mu o .|_1 with |x_ij| <= c."""
    W = 2 * normal(seed, *SHAPE)
    soft = np.sign(W) * np.maximum(np.abs(W) - t * WEIGHTS, 0)
    np.testing.assert_allclose(L1(WEIGHTS).prox(W, t), soft, atol=1e-15)
    np.testing.assert_allclose(L1(WEIGHTS, bound=bound).prox(W, t), np.clip(soft, -bound, bound), atol=1e-15)


def test_bounded_l1_is_l1_plus_a_box():
    """mu |X|_1 with |x_ij| <= c is the sum of the two terms, slack included."""
    both, box = L1(0.3, bound=0.7), Box(-0.7, 0.7)
    for x in (-0.8, -0.7 - 2e-6, -0.7 - 5e-7, 0.0, 0.7, 0.7 + 5e-7, 0.7 + 2e-6):
        X = np.full((1, 1), x)
        assert both.value(X) == L1(0.3).value(X) + box.value(X)


# --- folded concave penalties -----------------------------------------------------------------------------------------


def slope_of_mcp(x, mu, gamma):
    return max(mu - x / gamma, 0.0)


def slope_of_scad(x, mu, a):
    return mu if x <= mu else max(a * mu - x, 0.0) / (a - 1)


CONCAVE = [(MCP, slope_of_mcp, 1.3), (MCP, slope_of_mcp, 3.0), (SCAD, slope_of_scad, 2.2), (SCAD, slope_of_scad, 3.7)]


@pytest.mark.parametrize(("kind", "directional_derivative", "shape"), CONCAVE)
@pytest.mark.parametrize("mu", [0.2, 1.5])
def test_concave_penalty_is_the_integral_of_its_slope(kind, slope, shape, mu):
    """g(x) is the integral of g' over [0, |x|]; and g' is what ``slope`` gives at x > 0 in the direction 1."""
    g = kind(mu, shape)
    for x in np.linspace(0, 1.5 * shape * mu, 13):
        integral = quad(slope, 0, x, args=(mu, shape), points=[min(mu, x), min(shape * mu, x)])[0]
        for signed in (x, -x):
            assert g.value(np.full((1, 1), signed)) == pytest.approx(integral, abs=1e-9)
        rising = g.directional_derivative(np.full((1, 1), x), np.ones((1, 1)))
        assert rising == pytest.approx(slope(x, mu, shape), abs=1e-12)


@pytest.mark.parametrize(("kind", "_slope", "shape"), CONCAVE)
def test_modulus_is_sharp(kind, _slope, shape):
    """g + modulus/2 x^2 is convex; with .99 of the modulus it is not."""
    g = kind(0.8, shape)
    x = np.linspace(-1.5 * 0.8 * shape, 1.5 * 0.8 * shape, 2001)
    values = g.value(x[:, None, None])
    assert np.min(np.diff(values + g.modulus / 2 * x**2, 2)) >= -1e-12
    assert np.min(np.diff(values + 0.99 * g.modulus / 2 * x**2, 2)) < -1e-9


@pytest.mark.parametrize(("kind", "_slope", "shape"), CONCAVE)
def test_prox_beyond_the_modulus_raises(kind, _slope, shape):
    """For t >= 1 / modulus the model is not strictly convex, and the prox says so, for one step or for a batch of them."""
    g, X = kind(0.8, shape), normal(0, 2, *SHAPE)
    g.prox(X, 0.999 / g.modulus)
    for t in (1.0001 / g.modulus, np.reshape([0.1, 1.0001 / g.modulus], (2, 1, 1))):
        with pytest.raises(ValueError, match=rf"{kind.__name__}.*1 / modulus = {1 / g.modulus:g}"):
            g.prox(X, t)


@pytest.mark.parametrize("g", [MCP(0.0), SCAD(0.0), L1(0.0), L21(0.0)], ids=lambda g: type(g).__name__)
def test_a_penalty_without_weight_is_zero(g):
    """With mu = 0 the value is 0, the prox the identity and the subdifferential {0}."""
    X = kinked(L1(0.4), 0)
    W = normal(1, *SHAPE)
    assert g.value(X) == 0
    np.testing.assert_array_equal(g.prox(X, 0.5), X)
    np.testing.assert_array_equal(g.min_norm_subgradient(X, W), W)
    assert g.directional_derivative(X, W) == 0


# --- subdifferentials -------------------------------------------------------------------------------------------------


def test_only_bare_functions_hide_their_subdifferential():
    """Every term but Function knows its subdifferential."""
    hidden = {type(g) for g in NONSMOOTH.values() if not isinstance(g, HasSubdifferential)}
    assert hidden == {Function}


@every_subdifferential
@given(seed=SEEDS, t=STEPS)
@EXAMPLES
def test_prox_residual_is_a_subgradient(name, seed, t):
    """s = (X - P) / t lies in dg(P) at P = prox_tg(X), so the least-norm element of -s + dg(P) is 0."""
    g, X = NONSMOOTH[name], 2 * normal(seed, *SHAPE)
    P = g.prox(X, t)
    s = (X - P) / t
    assert norm(g.min_norm_subgradient(P, -s)) <= 1e-13 * (1 + norm(s)) / t


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_nearest_is_a_subgradient(name, seed):
    """u = nearest(P, W) - W supports g:  g(Q) >= g(P) + <u, Q - P> - modulus/2 |Q - P|^2  for all Q."""
    g = NONSMOOTH[name]
    P = kinked(g, seed)
    u = subgradient(g, P, seed + 1)
    rng = np.random.default_rng(seed)
    for scale in (1e-3, 0.1, 1.0, 10.0):
        Q = g.prox(P + scale * rng.standard_normal(SHAPE), 1e-3)
        bound = g.value(P) + inner(u, Q - P) - g.modulus / 2 * norm(Q - P) ** 2
        assert g.value(Q) >= bound - 1e-10


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_nearest_has_the_least_norm(name, seed):
    """|nearest(P, W)| <= |W + s| for every s in dg(P)."""
    g = NONSMOOTH[name]
    X, W = 2 * normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    P = g.prox(X, 0.5)
    least = norm(g.min_norm_subgradient(P, W))
    for s in ((X - P) / 0.5, *(subgradient(g, P, seed + k) for k in range(2, 6))):
        assert least <= norm(W + s) + 1e-12


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_slope_is_the_one_sided_derivative(name, seed):
    """g'(X; V) is the limit of (g(X + hV) - g(X)) / h, at exact zeros and on the border of the domain, infinite ones too."""
    g = NONSMOOTH[name]
    X = kinked(g, seed)
    rng = np.random.default_rng(seed)
    V = rng.uniform(0.5, 1.0, SHAPE) * rng.choice([-1.0, 0.0, 1.0], SHAPE)
    h = 1e-5  # above the slack of an indicator, so that leaving the domain shows
    inward = (g.prox(X + h * V, 1e-9) - X) / h
    for direction in (V, np.where(np.abs(inward) < 1e-3, 0.0, V)):
        difference = (g.value(X + h * direction) - g.value(X)) / h
        assert g.directional_derivative(X, direction) == pytest.approx(difference, rel=1e-3, abs=1e-3)


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_slope_is_the_support_function_of_the_subdifferential(name, seed):
    """g'(X; V) >= <s, V> for every s in dg(X), with equality for the s farthest in the direction V."""
    g = NONSMOOTH[name]
    X = kinked(g, seed)
    V = g.prox(normal(seed + 1, *SHAPE), 0.1) - X  # points into the domain
    V = np.where(np.abs(V) < 1e-3, 0.0, V)
    slope = g.directional_derivative(X, V)
    assert np.isfinite(slope)
    for k in range(2, 6):
        assert slope >= inner(subgradient(g, X, seed + k), V) - 1e-12
    farthest = g.min_norm_subgradient(X, -1e4 * V) + 1e4 * V
    assert slope == pytest.approx(inner(farthest, V), rel=1e-9, abs=1e-9)


def test_slope_out_of_the_domain_is_infinite():
    """Leaving the domain costs an infinite slope; moving along its border or inside costs nothing."""
    X, V = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    for g in (Box(0.0, 1.0), Nonnegative()):
        assert g.directional_derivative(X, V) == 0
        assert g.directional_derivative(X, -V) == np.inf
    assert Box(0.0, 1.0).directional_derivative(X, V[:, ::-1]) == np.inf
    assert L1(0.3, bound=1.0).directional_derivative(X, V[:, ::-1]) == np.inf
    assert L1(0.3, bound=1.0).directional_derivative(X, -V[:, ::-1]) == pytest.approx(-0.3)


def test_a_box_of_one_point_takes_everything():
    """Where lower = upper, dg is the whole line: nothing of W is left."""
    X = np.full(SHAPE, 0.5)
    assert norm(Box(0.5, 0.5).min_norm_subgradient(X, normal(0, *SHAPE))) == 0


# --- derivatives of proxes --------------------------------------------------------------------------------------------


DIFFERENTIABLE = [name for name, g in NONSMOOTH.items() if isinstance(g, HasProxDerivative)]


def test_who_knows_the_derivative_of_its_prox():
    """L1, L21 and Zero, the terms that ManPG takes."""
    assert {type(NONSMOOTH[name]) for name in DIFFERENTIABLE} == {L1, L21, Zero}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_derivative_is_the_derivative_of_the_prox(name, seed, t, spread):
    """J[V] is the limit of (prox(X + hV) - prox(X - hV)) / 2h, away from the kinks, where the prox is differentiable."""
    g, h = NONSMOOTH[name], 1e-6
    X, V = spread * normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    difference = (g.prox(X + h * V, t) - g.prox(X - h * V, t)) / (2 * h)
    smooth = np.abs((g.prox(X + h * V, t) - g.prox(X, t)) - (g.prox(X, t) - g.prox(X - h * V, t))) <= 1e-9
    error = np.where(smooth, g.prox_derivative(X, t)(V) - difference, 0.0)
    assert np.max(np.abs(error)) <= 1e-4
    assert np.mean(smooth) > 0.8


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_derivative_is_symmetric_and_between_0_and_1(name, seed, t, spread):
    """<J[V], W> = <V, J[W]> and 0 <= <J[V], V> <= |V|^2, at kinks as well; it is linear."""
    g = NONSMOOTH[name]
    V, W = normal(seed + 1, *SHAPE), normal(seed + 2, *SHAPE)
    for X in (spread * normal(seed, *SHAPE), kinked(g, seed), np.zeros(SHAPE)):
        JV, JW = g.prox_derivative(X, t)(V), g.prox_derivative(X, t)(W)
        assert inner(JV, W) == pytest.approx(inner(V, JW), abs=1e-12)
        assert -1e-12 <= inner(JV, V) <= inner(V, V) * (1 + 1e-12)
        np.testing.assert_allclose(g.prox_derivative(X, t)(2 * V - W), 2 * JV - JW, atol=1e-12)


def test_prox_derivative_vanishes_where_the_prox_is_constant():
    """Below the threshold, in rows that vanish, and beyond the bound."""
    X = np.array([[0.1, 2.0, 1.0]])
    V = np.ones((1, 3))
    np.testing.assert_array_equal(L1(0.4).prox_derivative(X, 0.5)(V), [[0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(L1(0.4, bound=0.9).prox_derivative(X, 0.5)(V), [[0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(L1([[0.4, 0.4, 3.0]]).prox_derivative(X, 0.5)(V), [[0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(L21(5.0).prox_derivative(X, 0.5)(V), [[0.0, 0.0, 0.0]])


# --- indicators -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("g", [Nonnegative(), Box(0.0, 1.0), Box(np.zeros(SHAPE), np.inf)])
def test_indicators_have_a_slack(g):
    """An entry outside by at most 1e-6 counts as inside; the prox has no slack."""
    X = np.zeros(SHAPE)
    for gap, value in ((0.0, 0.0), (9e-7, 0.0), (1.1e-6, np.inf), (1.0, np.inf)):
        X[2, 1] = -gap
        assert g.value(X) == value
        assert np.min(g.prox(X, 0.5)) == 0.0


def test_whole_number_bounds_are_real_numbers():
    """Bounds given as integer arrays act as the same numbers in floating point."""
    whole, real = Box(np.zeros(SHAPE, dtype=int), np.ones(SHAPE, dtype=int)), Box(0.0, 1.0)
    X = normal(0, *SHAPE)
    np.testing.assert_array_equal(whole.prox(X, 1.0), real.prox(X, 1.0))
    assert whole.lower.dtype == np.float64


# --- any function -----------------------------------------------------------------------------------------------------


def test_function_wraps_two_callables():
    """Function(fun, prox, modulus) is the term with that value, that prox and that modulus."""
    g, X = MCP(0.5), normal(0, *SHAPE)
    wrapped = Function(g.value, g.prox, modulus=g.modulus)
    assert wrapped.value(X) == g.value(X)
    np.testing.assert_array_equal(wrapped.prox(X, 0.5), g.prox(X, 0.5))
    assert wrapped.modulus == g.modulus
    assert Function(g.value, g.prox).modulus == 0.0
    check_prox(wrapped, X)


@pytest.mark.parametrize("arguments", [(1.0, np.abs), (np.abs, None)])
def test_function_needs_callables(arguments):
    """What is not callable is refused at once, by name."""
    with pytest.raises(TypeError, match="callable"):
        Function(*arguments)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: L1(-1.0), ValueError, "mu"),
        (lambda: L1([[0.1, -0.1]]), ValueError, "mu"),
        (lambda: L1(0.1, bound=0.0), ValueError, "bound"),
        (lambda: L21(np.inf), ValueError, "mu"),
        (lambda: MCP(0.1, gamma=0.0), ValueError, "gamma"),
        (lambda: SCAD(0.1, a=1.0), ValueError, "a"),
        (lambda: Box(1.0, 0.0), ValueError, "lower"),
        (lambda: Box(np.full(SHAPE, np.nan), 1.0), ValueError, "lower"),
        (lambda: Box("0", 1.0), TypeError, "lower"),
    ],
)
def test_wrong_parameters_are_refused(build, error, words):
    """A message names the parameter."""
    with pytest.raises(error, match=words):
        build()


@pytest.mark.parametrize("g", [L1(np.ones((5, 3))), Box(np.zeros((5, 3)), 1.0), Box(0.0, np.ones((5, 3)))])
def test_entrywise_parameters_fit_the_shape(g):
    """A problem refuses weights and bounds that do not broadcast to X."""
    with pytest.raises(ValueError, match=r"\(5, 3\)"):
        op.Problem(op.smooth.Quadratic(np.eye(7)), g, SHAPE)
