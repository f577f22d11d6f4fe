"""A problem over a unit: the same terms, exactly."""

import pickle

import numpy as np
import pytest

import orthoprox as op
from cases import NONSMOOTH, SHAPE, SMOOTH, kinked, normal
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth import base as nonsmooth_base
from orthoprox.problems.problem import counted
from orthoprox.problems.scaled import scaled
from orthoprox.problems.work import Work
from orthoprox.smooth import base as smooth_base

UNITS = [2.0**-660, 2.0**4, 2.0**660]
KINDS = [
    kind
    for module in (smooth_base, nonsmooth_base)
    for kind in vars(module).values()
    if isinstance(kind, type) and kind.__module__ == module.__name__
]


def plain(term):
    """The term as one of the user's own, which shows no data and is wrapped."""
    return type("Mine", (type(term),), {"__init__": lambda self: self.__dict__.update(vars(term))})()


def pairs(role):
    return [(name, term) for name, term in (SMOOTH if role == "smooth" else NONSMOOTH).items()]


def problem(smooth=None, nonsmooth=None):
    return op.Problem(smooth or SMOOTH["Quadratic"], nonsmooth or NONSMOOTH["L1"], SHAPE)


@pytest.mark.parametrize("c", UNITS)
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(("name", "ell"), pairs("smooth"))
def test_a_smooth_term_over_a_unit(name, ell, wrapped, c):
    """l / c has the values, gradients, constants and resolvents of l, over c."""
    same, X, R = scaled(problem(plain(ell) if wrapped else ell), c).smooth, normal(0, *SHAPE), normal(1, *SHAPE)
    exact = np.testing.assert_array_equal
    exact(same.value(X), ell.value(X) / c)
    exact(same.grad(X), ell.grad(X) / c)
    for one, other in zip(same.value_and_grad(X), ell.value_and_grad(X), strict=True):
        exact(one, other / c)
    if isinstance(ell, smooth_base.HasLipschitz):
        assert same.lipschitz == pytest.approx(ell.lipschitz / c, rel=1e-12, abs=0)
    if isinstance(ell, smooth_base.HasWeakConvexity):
        assert same.modulus == pytest.approx(ell.modulus / c, rel=1e-12, abs=0)
    if isinstance(ell, smooth_base.HasHessian) and ell.hessian is not None:
        exact(same.hessian, ell.hessian / c)
        assert same.hessian is same.hessian  # divided once
    if isinstance(ell, smooth_base.HasResolvent):
        shift = 2 * ell.modulus + 1
        for one, other in (
            (same.resolvent(shift / c), ell.resolvent(shift)),
            (same.resolvents()(shift / c), ell.resolvents()(shift)),
        ):
            np.testing.assert_allclose(one(R / c), other(R), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("c", UNITS)
@pytest.mark.parametrize(("name", "g"), pairs("nonsmooth"))
def test_a_nonsmooth_term_over_a_unit(name, g, c):
    """g / c has the values, proxes and subdifferentials of g, over c."""
    same, X, V, t = scaled(problem(nonsmooth=g), c).nonsmooth, kinked(g, 0), normal(1, *SHAPE), 0.3
    exact = np.testing.assert_array_equal
    exact(same.value(X), g.value(X) / c)
    exact(same.prox(V, t * c), g.prox(V, t))
    assert same.modulus == g.modulus / c
    if isinstance(g, nonsmooth_base.HasProxDerivative):
        exact(same.prox_derivative(X, t * c)(V), g.prox_derivative(X, t)(V))
    if isinstance(g, nonsmooth_base.HasSubdifferential):
        exact(same.min_norm_subgradient(X, V / c), g.min_norm_subgradient(X, V) / c)
        exact(same.directional_derivative(X, V), g.directional_derivative(X, V) / c)
    if isinstance(g, nonsmooth_base.HasFace):
        one, other = same.face(X), g.face(X)
        exact(one.free, other.free)
        exact(one.gradient, other.gradient / c)
        exact(one.curvature(V), other.curvature(V) / c)
        exact(same.round_to_kinks(X, 0.1), g.round_to_kinks(X, 0.1))
        exact(same.stop_at_kinks(X, V), g.stop_at_kinks(X, V))


def test_entries_of_a_term_over_a_unit():
    entries, c = PackedEntries(np.eye(*SHAPE) > 0), 2.0**660
    v = normal(0, 3, 1)
    for name in ("L1 weighted", "Box entrywise", "MCP", "SCAD", "Nonnegative"):
        few, other = scaled(problem(nonsmooth=NONSMOOTH[name]), c).nonsmooth.at(entries), NONSMOOTH[name].at(entries)
        np.testing.assert_array_equal(few.prox(v, 0.3 * c), other.prox(v, 0.3))
        np.testing.assert_array_equal(few.interval(v)[0], other.interval(v)[0] / c)
    assert scaled(problem(nonsmooth=NONSMOOTH["Zero"]), c).nonsmooth.at(entries) is None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_term_over_a_unit_can_what_the_term_can(kind):
    """Also when its evaluations are counted, and in another process."""
    for ell in (*SMOOTH.values(), *map(plain, SMOOTH.values())):
        same = scaled(problem(ell), 2.0**660)
        for one in (same, counted(same, Work())):
            assert isinstance(one.smooth, kind) == isinstance(ell, kind)
    for g in NONSMOOTH.values():
        same = scaled(problem(nonsmooth=g), 2.0**660)
        for one in (same, counted(same, Work()), pickle.loads(pickle.dumps(same))):
            assert isinstance(one.nonsmooth, kind) == isinstance(g, kind)


def test_a_term_over_a_unit_has_the_name_of_the_term():
    same = counted(scaled(problem(plain(SMOOTH["Quadratic"])), 2.0**660), Work())
    assert same.smooth.__class__.__name__ == "Mine"
    assert repr(same.nonsmooth).endswith("/ 4.78407e+198")
    with pytest.raises(AttributeError, match="nothing"):
        same.smooth.nothing  # noqa: B018
    X = normal(0, *SHAPE)
    assert counted(pickle.loads(pickle.dumps(scaled(problem(), 2.0**660))), Work()).value(X) == problem().value(X) / 2.0**660


def test_attributes_of_a_term_are_divided():
    """Constants that a term has as attributes of its own, whether they are numbers or not."""
    ell = op.smooth.Function(lambda X: np.sum(X), np.ones_like)
    ell.lipschitz, ell.hessian = 3.0, None
    same = counted(scaled(problem(ell), 4.0), Work()).smooth
    assert (same.lipschitz, same.hessian, same.grad(np.zeros(SHAPE))[0, 0]) == (0.75, None, 0.25)
    assert counted(scaled(problem(nonsmooth=NONSMOOTH["MCP"]), 4.0), Work()).nonsmooth.modulus == 1 / 6.4


def unit_of(c, dtype=np.float64, smooth=1.0, weight=0.4):
    """The unit of c f."""
    X = op.stiefel.random_point(*SHAPE).astype(dtype)
    A = (c * smooth * np.diag(np.arange(1.0, 8.0))).astype(dtype)
    P = problem(op.smooth.Quadratic(A), op.nonsmooth.L1(c * weight))
    return P.measured(X)[1]


def test_only_extreme_problems_have_a_unit():
    """The unit of c f is 1 for ordinary c, and follows c exactly where it is not."""
    for c in (1e-50, 1e-8, 1.0, 1e8, 1e50):
        assert unit_of(c) == 1
    for k in (-900, -660, -200, 200, 660, 900):
        assert unit_of(2.0**k) == 4.0 ** (k // 2 + 1)
        assert unit_of(2.0 ** (k + 2)) == 4 * unit_of(2.0**k)
    assert unit_of(1e-5, np.float32) == unit_of(1e5, np.float32) == 1
    assert 0 < unit_of(1e-12, np.float32) < 1e-10
    assert 1e10 < unit_of(1e12, np.float32) < np.inf


def test_where_l_vanishes_g_alone_has_a_unit():
    """With l = 0 no gradient tells what is small; g is made of ordinary size in any case."""
    assert unit_of(1.0, smooth=0.0, weight=0.0) == 1
    for k in (-660, -2, 0, 2, 660):
        assert unit_of(2.0**k, smooth=0.0) == 2.0**k * unit_of(1.0, smooth=0.0)
    X = op.stiefel.random_point(*SHAPE)
    P = problem(op.smooth.Quadratic(np.zeros((7, 7))), op.nonsmooth.L1(2.0**660, bound=0.1))
    assert P.value(X) == np.inf
    assert 1e190 < P.measured(X)[1] < 1e210


def test_data_that_underflow_are_refused():
    with pytest.raises(ValueError, match="no entry above 1e-150, so that A'A underflows; scale A"):
        op.smooth.Variance(np.full((3, 2), 1e-150))
    assert op.smooth.Variance(np.zeros((3, 2))).value(np.eye(2)) == 0


def test_a_memory_map_over_a_unit_stays_on_disk(tmp_path):
    A = np.memmap(tmp_path / "data", dtype=np.float64, mode="w+", shape=(40, 7))
    A[:] = 2.0**330 * normal(3, 40, 7)
    same = scaled(problem(op.smooth.Variance(A)), 2.0**660).smooth
    assert same.A.rows is not None
    np.testing.assert_array_equal(same.hessian, op.smooth.Variance(A).hessian / 2.0**660)
    np.testing.assert_array_equal(same.A @ np.eye(7), normal(3, 40, 7))
