"""Every mistake in the input is answered by a message: what was given, what was needed, and the fix. No input is changed."""

import copy
import warnings
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import orthoprox as op
from cases import SHAPE, nonsmooth_terms, operator_terms, smooth_terms
from orthoprox import nonsmooth, problems, smooth, stopping
from orthoprox.solvers import (
    ALMSSN,
    MADMM,
    MIALM,
    PAMAL,
    PCAL,
    PLAM,
    RADMM,
    RGD,
    RPG,
    RSM,
    SOC,
    AManPG,
    Dissolving,
    Landing,
    ManIAL,
    ManPG,
    ManPGAda,
    SmoothingRGD,
)

M, N = 6, 2
RNG = np.random.default_rng(0)
A = RNG.standard_normal((10, M))
C, B = A.T @ A, RNG.standard_normal((M, N))
X = op.stiefel.random_point(M, N)
POINTS = RNG.random((5, 2))
EDGES1, EDGES2, AFFINITY = [[0, 1], [1, 2]], [[0, 1]], [[1.0], [0.5]]
PROBLEM = problems.quadratic(C, B, 0.1)
ELL, L1 = PROBLEM.smooth, PROBLEM.nonsmooth
NAN, INF = float("nan"), float("inf")


def fail(*_):
    raise AssertionError("work was done before the input was checked")


UNTOUCHABLE = op.Problem(smooth.Function(fail, fail), nonsmooth.Function(fail, fail), (M, N))


def raises(error, message):
    return pytest.raises(error, match=message)


def table(rows):
    """Parametrize a test over the rows of a table: a name, a call, the error and a pattern of its message."""
    return pytest.mark.parametrize(("call", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in rows])


def holed(matrix):
    matrix = np.array(matrix, dtype=float)
    matrix[0, 0] = NAN
    return matrix


# ---------------------------------------------------------------------------------------------------------------------
# Whatever takes a matrix: each place below refuses each kind of bad data, by its name.

MATRICES = {  # the name in the message, the call, and data that would do
    "sparse_pca.A": ("A", lambda v: problems.sparse_pca(v, N, 0.1), A),
    "quadratic.A": ("A", lambda v: problems.quadratic(v, B, 0.1), C),
    "quadratic.B": ("B", lambda v: problems.quadratic(C, v, 0.1), B),
    "graph_matching.points1": ("points1", lambda v: problems.graph_matching(v, POINTS, 1.0), POINTS),
    "graph_matching.points2": ("points2", lambda v: problems.graph_matching(POINTS, v, 1.0), POINTS),
    "Quadratic.A": ("A", smooth.Quadratic, C),
    "Quadratic.B": ("B", lambda v: smooth.Quadratic(C, v), B),
    "Variance.A": ("A", smooth.Variance, A),
    "Matching.edges1": ("edges1", lambda v: smooth.Matching(v, EDGES2, AFFINITY, (3, 2), 1.0), EDGES1),
    "Matching.edges2": ("edges2", lambda v: smooth.Matching(EDGES1, v, AFFINITY, (3, 2), 1.0), EDGES2),
    "Matching.affinity": ("affinity", lambda v: smooth.Matching(EDGES1, EDGES2, v, (3, 2), 1.0), AFFINITY),
    "minimize.start": ("The start", lambda v: op.minimize(UNTOUCHABLE, v), X),
    "minimize.start projected": ("The start", lambda v: op.minimize(UNTOUCHABLE, v, project=True), X),
    "minimize.Z0": ("Z0", lambda v: op.minimize(UNTOUCHABLE, Z0=v), X),
    "solve.X0": ("The start", lambda v: op.solve(UNTOUCHABLE, op.LSALM(), v), X),
    "LSALM.Z0": ("Z0", lambda v: op.LSALM(Z0=v), X),
    "certificate.X": ("X", lambda v: op.certificate(UNTOUCHABLE, v), X),
    "certificate.multiplier": ("multiplier", lambda v: op.certificate(UNTOUCHABLE, X, multiplier=v), np.eye(N)),
    "check_grad.X": ("X", lambda v: op.checks.check_grad(UNTOUCHABLE.smooth, v), X),
    "check_prox.X": ("X", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, v), X),
}
OPTIONAL = {"Quadratic.B", "quadratic.B", "minimize.Z0", "LSALM.Z0", "certificate.multiplier"}
NUMBERS_TOO = {  # a number would also do
    "LSALM.Y0": ("Y0", lambda v: op.LSALM(Y0=v), np.eye(N)),
    "minimize.Y0": ("Y0", lambda v: op.minimize(UNTOUCHABLE, Y0=v), np.eye(N)),
    "Box.lower": ("lower", lambda v: nonsmooth.Box(v, INF), B),
    "Box.upper": ("upper", lambda v: nonsmooth.Box(-INF, v), B),
    "L1.mu": ("mu", nonsmooth.L1, abs(B)),
    "sparse_pca.mu": ("mu", lambda v: problems.sparse_pca(A, N, v), abs(B)),
    "quadratic.mu": ("mu", lambda v: problems.quadratic(C, B, v), abs(B)),
    "compressed_modes.mu": ("mu", lambda v: problems.compressed_modes(M, N, v), abs(B)),
}
NOT_ENTRIES = {  # good data -> bad data, the error and its message
    "NaN": (holed, ValueError, "{} contains NaN.* entries; remove or impute them"),
    "ragged": (lambda good: [[1.0, 2.0], [3.0]], ValueError, "{} is ragged: .* needs a rectangular array"),
    "strings": (lambda good: good.astype(str), TypeError, "{} has dtype <U.*; it needs real numbers, convert it"),
    "objects": (lambda good: good.astype(object), TypeError, r"{} has dtype object; .* convert it with \.astype\(float\)"),
    "dates": (lambda good: good.astype("M8[D]"), TypeError, r"{} has dtype datetime64\[D\]; it needs real numbers"),
    "records": (lambda good: good.astype([("a", float)]), TypeError, r"{} has dtype \[\('a', '<f8'\)\]; it needs real"),
    "complex": (lambda good: good * 1j, TypeError, r"{} is complex \(complex128\); .* pass real data"),
    "masked": (lambda good: np.ma.masked_less(good, 0.1), TypeError, "{} is a masked array; fill or remove its missing"),
    "empty": (lambda good: good[:0], ValueError, r"{} is empty, shape \(0, \d\); it needs at least one row"),
}
NOT_MATRICES = {
    "infinite": (lambda good: good / 0.0, ValueError, "{} contains NaN or infinite entries; remove or impute them"),
    "1-d": (lambda good: good[0], ValueError, r"{} has 1 dimension\(s\), shape \(\d,\); it needs (2 dimensions|shape)"),
    "empty list": (lambda good: [], ValueError, r"{} has 1 dimension\(s\), shape \(0,\); it needs (2 dimensions|shape)"),
    "dict": (lambda good: {"a": good}, TypeError, r"(?s){} is \{{'a': .*\}}, a dict; it needs an array of real numbers"),
    "set": (lambda good: {1}, TypeError, r"{} is \{{1\}}, a set; it needs an array of real numbers"),
    "function": (lambda good: len, TypeError, "{} is <built-in function len>, .*; it needs an array of real numbers"),
}


def refusals(places, kinds):
    for place, (name, call, good) in places.items():
        for kind, (spoil, error, message) in kinds.items():
            yield pytest.param(call, spoil, np.asarray(good), error, message.format(name), id=f"{place} {kind}")


@pytest.mark.parametrize(
    ("call", "spoil", "good", "error", "message"),
    [*refusals(MATRICES, NOT_ENTRIES | NOT_MATRICES), *refusals(NUMBERS_TOO, NOT_ENTRIES)],
)
def test_bad_matrices_are_refused(call, spoil, good, error, message):
    with np.errstate(divide="ignore", invalid="ignore"):
        bad = spoil(good)
    with raises(error, message):
        call(bad)


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is double here")
def test_numbers_beyond_double_precision_are_refused():
    with raises(ValueError, "A contains NaN or infinite entries"):
        smooth.Variance(A.astype(np.longdouble) * np.longdouble("1e400"))


@pytest.mark.parametrize("place", sorted(MATRICES.keys() - OPTIONAL))
@pytest.mark.parametrize("value", [None, object()], ids=["None", "object"])
def test_no_matrix_at_all(place, value):
    name, call, _ = MATRICES[place]
    with raises(TypeError, rf"^{name} is (None|<object .*>).*; it needs an array"):
        call(value)


DENSE_ONLY = MATRICES.keys() - {"sparse_pca.A", "quadratic.A", "Quadratic.A", "Variance.A"}


@pytest.mark.parametrize("place", sorted(DENSE_ONLY))
def test_sparse_data_where_dense_are_needed(place):
    name, call, _ = MATRICES[place]
    with raises(TypeError, rf"^{name} is sparse; it needs a dense array, pass \w+\.toarray\(\)"):
        call(sp.csr_array(B))


OPERATORS = [
    ("sparse NaN", sp.csr_array(holed(C)), ValueError, "The stored entries of A contains NaN or infinite"),
    ("sparse infinite", sp.coo_array(C * INF), ValueError, "The stored entries of A contains NaN or infinite"),
    ("sparse complex", sp.csr_array(C * 1j), TypeError, r"A is complex \(complex128\); .* pass real data"),
    ("sparse 1-d", sp.coo_array(np.ones(M)), ValueError, r"A has shape \(6,\); it needs two dimensions"),
    ("sparse 3-d", sp.coo_array(np.ones((2, M, M))), ValueError, r"A has shape \(2, 6, 6\); it needs two dimensions"),
    ("sparse empty", sp.csr_array((0, M)), ValueError, r"A has shape \(0, 6\); .* at least one row"),
    ("operator complex", aslinearoperator(C * 1j), TypeError, r"A is complex \(complex128\); .* pass real data"),
    ("operator empty", aslinearoperator(np.ones((M, 0))), ValueError, r"A has shape \(6, 0\); .* at least one row"),
]


@pytest.mark.parametrize("kind", [smooth.Quadratic, smooth.Variance])
@pytest.mark.parametrize(("value", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in OPERATORS])
def test_bad_sparse_matrices_and_operators_are_refused(kind, value, error, message):
    with raises(error, message):
        kind(value)


@pytest.mark.parametrize("shape", [(10, M), (2, 60)], ids=["tall", "wide"])
@pytest.mark.parametrize(
    ("dtype", "entry", "error", "message"),
    [
        (float, NAN, ValueError, "A contains NaN or infinite entries; remove or impute them"),
        (float, -INF, ValueError, "A contains NaN or infinite entries; remove or impute them"),
        (complex, 1j, TypeError, r"A is complex \(complex128\); .* pass real data"),
        ("S2", "a", TypeError, r"A has dtype \|S2; it needs real numbers"),
    ],
)
def test_bad_memory_maps_are_refused(tmp_path, shape, dtype, entry, error, message):
    rows = np.memmap(tmp_path / "A", dtype, "w+", shape=shape)
    rows[-1, 1] = entry
    with raises(error, message):
        smooth.Variance(rows)
    with raises(ValueError, rf"A has shape \({shape[1]},\); a memory map needs two dimensions"):
        smooth.Variance(rows[0])


# ---------------------------------------------------------------------------------------------------------------------
# Whatever takes a number: the place, its name, and what it asks for.

RULE = dict(rho=1.0, lam=1.0, r=1.0, alpha=1.0, beta=0.5, eps=0.1)
POSITIVE, NONNEGATIVE, FINITE = "a finite number > 0", "a finite number >= 0", r"a finite number\."


def lsalm(name):
    return lambda v: op.LSALM(**{name: v})


def minimizing(name):
    return lambda v: op.minimize(UNTOUCHABLE, **{name: v})


def parameter(kind, name):
    return lambda v: kind(**{name: v})


POSITIVE_PARAMETERS = {
    ManPG: ["step_size"],
    ManPGAda: ["step_size"],
    AManPG: ["step_size"],
    RPG: ["step_size"],
    SOC: ["penalty"],
    PAMAL: ["penalty", "growth", "ratio", "proximal", "clip", "accuracy", "floor", "unit"],
    RADMM: ["rho", "eta", "gamma"],
    MADMM: ["rho", "eta", "accuracy"],
    ManIAL: ["penalty", "growth", "ratio", "enough", "floor", "first", "unit"],
    MIALM: ["penalty", "growth", "ratio", "enough", "floor", "first", "unit", "accuracy", "decrease"],
    ALMSSN: ["penalty", "growth", "ratio", "accuracy", "coarse", "shift", "unit"],
    SmoothingRGD: ["nu", "power", "factor", "accuracy"],
    Dissolving: ["penalty", "step_size", "decay"],
    RSM: ["step_size", "decay", "power", "offset"],
    RGD: ["step_size", "shrink", "decrease"],
    PLAM: ["penalty", "step_size", "first", "smallest"],
    PCAL: ["penalty", "step_size", "first", "smallest"],
    Landing: ["attraction", "step_size", "safe"],
}


def test_every_number_of_every_method_is_in_the_table():
    for kind, names in POSITIVE_PARAMETERS.items():
        others = {"inner", "trial", "rule", "retraction", "search", "max_cycles", "safeguard", "extra"}
        assert {field.name for field in fields(kind)} - others == set(names)
    assert set(POSITIVE_PARAMETERS) == set(op.SOLVERS.values()) - {op.LSALM, op.solvers.Adaptive}  # the latter has none


def theory(name):
    return lambda v: op.theoretical_parameters(**{"lipschitz": 1.0, "gap": 1.0, name: v})


def stability(name):
    return lambda v: op.stability_radius(**{**RULE, name: v})


NUMBERS = {
    "graph_matching.mu": ("mu", lambda v: problems.graph_matching(POINTS, POINTS, v), NONNEGATIVE),
    "graph_matching.width": ("width", lambda v: problems.graph_matching(POINTS, POINTS, 1.0, width=v), POSITIVE),
    "Matching.mu": ("mu", lambda v: smooth.Matching(EDGES1, EDGES2, AFFINITY, (3, 2), v), NONNEGATIVE),
    "L1.mu": ("mu", nonsmooth.L1, NONNEGATIVE),
    "L1.bound": ("bound", lambda v: nonsmooth.L1(1.0, v), POSITIVE),
    "L21.mu": ("mu", nonsmooth.L21, NONNEGATIVE),
    "MCP.mu": ("mu", nonsmooth.MCP, NONNEGATIVE),
    "MCP.gamma": ("gamma", lambda v: nonsmooth.MCP(1.0, v), POSITIVE),
    "SCAD.mu": ("mu", nonsmooth.SCAD, NONNEGATIVE),
    "SCAD.a": ("a", lambda v: nonsmooth.SCAD(1.0, v), "a finite number > 1"),
    "Function.modulus": ("modulus", lambda v: nonsmooth.Function(fail, fail, v), NONNEGATIVE),
    "minimize.tol": ("tol", minimizing("tol"), POSITIVE),
    "minimize.tol beside stop": (
        "tol",
        lambda v: op.minimize(UNTOUCHABLE, tol=v, stop=stopping.MaxIterations(1)),
        POSITIVE,
    ),
    "minimize.max_seconds": ("max_seconds", minimizing("max_seconds"), POSITIVE),
    "minimize.lam": ("lam", minimizing("lam"), POSITIVE),
    "LSALM.rho": ("rho", lsalm("rho"), NONNEGATIVE),
    "LSALM.lam": ("lam", lsalm("lam"), POSITIVE),
    "LSALM.r": ("r", lsalm("r"), NONNEGATIVE),
    "LSALM.alpha": ("alpha", lsalm("alpha"), POSITIVE),
    "LSALM.beta": ("beta", lsalm("beta"), POSITIVE),
    "LSALM.eps": ("eps", lsalm("eps"), NONNEGATIVE),
    "LSALM.box": ("box", lsalm("box"), POSITIVE),
    "LSALM.dual_radius": ("dual_radius", lsalm("dual_radius"), POSITIVE),
    "LSALM.Y0": ("Y0", lsalm("Y0"), FINITE),
    **{
        f"{kind.__name__}.{name}": (name, parameter(kind, name), POSITIVE)
        for kind, names in POSITIVE_PARAMETERS.items()
        for name in names
    },
    "minimize.step_size": ("step_size", lambda v: op.minimize(UNTOUCHABLE, method="rgd", step_size=v), POSITIVE),
    "Stationary": ("tol", stopping.Stationary, POSITIVE),
    "Below": ("step", lambda v: stopping.Below(step=v), NONNEGATIVE),
    "ObjectiveBelow": ("target", stopping.ObjectiveBelow, FINITE),
    "MaxSeconds": ("max_seconds", stopping.MaxSeconds, POSITIVE),
    "Leaves": ("radius", stopping.Leaves, POSITIVE),
    "paper.sparse_pca_rsm": ("baseline", stopping.paper.sparse_pca_rsm, FINITE),
    "theoretical_parameters.lipschitz": ("lipschitz", theory("lipschitz"), POSITIVE),
    "theoretical_parameters.gap": ("gap", theory("gap"), POSITIVE),
    "theoretical_parameters.lipschitz_g": ("lipschitz_g", theory("lipschitz_g"), NONNEGATIVE),
    "theoretical_parameters.radius": ("radius", theory("radius"), "a finite number >= 1.41421"),
    "theoretical_parameters.eps": ("eps", theory("eps"), POSITIVE),
    "theoretical_parameters.delta": ("delta", theory("delta"), POSITIVE),
    "theoretical_parameters.xi": ("xi", theory("xi"), POSITIVE),
    "stability_radius.rho": ("rho", stability("rho"), NONNEGATIVE),
    "stability_radius.lam": ("lam", stability("lam"), POSITIVE),
    "stability_radius.r": ("r", stability("r"), NONNEGATIVE),
    "stability_radius.alpha": ("alpha", stability("alpha"), POSITIVE),
    "stability_radius.beta": ("beta", stability("beta"), POSITIVE),
    "stability_radius.eps": ("eps", stability("eps"), NONNEGATIVE),
    "stability_radius.curvature": ("curvature", stability("curvature"), NONNEGATIVE),
    "check_grad.tol": ("tol", lambda v: op.checks.check_grad(UNTOUCHABLE.smooth, X, tol=v), POSITIVE),
    "check_prox.t": ("t", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, X, v), POSITIVE),
    "check_prox.tol": ("tol", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, X, tol=v), POSITIVE),
    "five_components.sd": ("sd", lambda v: op.datasets.five_components(5, 6, sd=v), NONNEGATIVE),
    "synthetic_house.noise": ("noise", lambda v: op.datasets.synthetic_house(noise=v), NONNEGATIVE),
}


@pytest.mark.parametrize("place", NUMBERS)
@pytest.mark.parametrize("value", [NAN, INF, -INF, np.float32("nan"), np.array(NAN), 10**400, -(10**400)], ids=repr)
def test_nan_and_infinite_numbers_are_refused(place, value):
    name, call, needed = NUMBERS[place]
    with raises(ValueError, f"{name} = (nan|-?inf); it needs {needed}"):
        call(value)


@pytest.mark.parametrize("place", [place for place, row in NUMBERS.items() if row[2] != FINITE])
@pytest.mark.parametrize("value", [-1, -0.5, np.int8(-3)])
def test_negative_numbers_are_refused(place, value):
    name, call, needed = NUMBERS[place]
    with raises(ValueError, f"{name} = {value:g}; it needs {needed}"):
        call(value)


@pytest.mark.parametrize("place", [place for place, row in NUMBERS.items() if row[2] == POSITIVE])
@pytest.mark.parametrize("value", [0, 0.0, np.float32(0)], ids=repr)
def test_zero_is_refused(place, value):
    name, call, needed = NUMBERS[place]
    with raises(ValueError, f"{name} = 0; it needs {needed}"):
        call(value)


@pytest.mark.parametrize("place", NUMBERS)
@pytest.mark.parametrize(
    "value",
    [True, np.True_, "1", b"1", 1j, np.complex64(1), {}, np.timedelta64(3, "s"), np.datetime64("2020"), np.str_("1"), len],
    ids=repr,
)
def test_what_is_not_a_number_is_refused(place, value):
    name, call, _ = NUMBERS[place]
    with raises(TypeError, f"{name} is .*, a {type(value).__name__}; it needs a real number"):
        call(value)


@table(
    [
        ("L1", lambda: nonsmooth.L1(None), TypeError, "mu is None, a NoneType; it needs a real number"),
        ("L1 -", lambda: nonsmooth.L1([[1.0, -1.0]]), ValueError, "mu has negative entries; .* needs entries >= 0"),
        ("MCP", lambda: nonsmooth.MCP([1.0]), TypeError, r"mu is \[1.0\], a list; it needs a real number"),
        ("MCP tiny", lambda: nonsmooth.MCP(1.0, 1e-320), ValueError, "modulus 1 / gamma = inf; it needs a finite"),
        ("SCAD", lambda: nonsmooth.SCAD(1.0, a=1.0), ValueError, "a = 1; it needs a finite number > 1"),
        ("delta", lambda: op.theoretical_parameters(1.0, 1.0, delta=1), ValueError, "delta = 1; .* between 0 and 1"),
        ("overflow", lambda: op.theoretical_parameters(1e308, 1.0), ValueError, "out of the range .* less extreme, scale f"),
        ("underflow", lambda: op.theoretical_parameters(1, 1, eps=1e-320), ValueError, "out of the range .* less extreme"),
        ("tiny delta", lambda: op.theoretical_parameters(1, 1, delta=1e-200), ValueError, "out of the range .* less extreme"),
        ("stability", lambda: stability("lam")(1e-320), ValueError, "too large or too small .* need to be less extreme"),
        ("Box crossed", lambda: nonsmooth.Box(1, 0), ValueError, "lower = 1 and upper = 0; it needs lower <= upper"),
        ("Box at infinity", lambda: nonsmooth.Box(INF, INF), ValueError, "lower = inf and .* needs lower <= upper"),
        ("Box arrays", lambda: nonsmooth.Box(B, B - 1), ValueError, "it needs lower <= upper everywhere"),
        ("Box NaN", lambda: nonsmooth.Box(NAN, 1.0), ValueError, "lower = nan; it needs a finite number"),
        ("Box shapes", lambda: nonsmooth.Box(B, C), ValueError, r"lower has shape \(6, 2\) and upper \(6, 6\); .* broadcast"),
        ("Box text", lambda: nonsmooth.Box(0, "1"), TypeError, "upper is '1', a str; it needs a real number"),
        ("Box bool", lambda: nonsmooth.Box(False, 1), TypeError, "lower is False, a bool; it needs a real number"),
        ("MCP.prox", lambda: nonsmooth.MCP(1.0).prox(X, 3.0), ValueError, "MCP .* t = 3, .* t < 1 / modulus = 3.*larger gamma"),
        ("MCP.prox NaN", lambda: nonsmooth.MCP(1.0).prox(X, NAN), ValueError, "MCP .* t = nan, .* t < 1 / modulus = 3"),
        ("SCAD.prox", lambda: nonsmooth.SCAD(1.0).prox(X, 4.0), ValueError, "SCAD .* t = 4, .* modulus = 2.7.*larger a"),
        (
            "SCAD.prox batch",
            lambda: nonsmooth.SCAD(1.0).prox(np.stack([X, X]), np.array([[[1.0]], [[5.0]]])),
            ValueError,
            "SCAD .* t = 5, .* smaller step",
        ),
    ]
)
def test_numbers_that_do_not_fit_are_refused(call, error, message):
    with raises(error, message):
        call()


# ---------------------------------------------------------------------------------------------------------------------
# Whatever takes a whole number.

SEEDED = {
    "five_components": lambda v: op.datasets.five_components(5, 6, seed=v),
    "random_quadratic": lambda v: op.datasets.random_quadratic(6, 2, seed=v),
    "synthetic_house": lambda v: op.datasets.synthetic_house(seed=v),
    "random_point": lambda v: op.stiefel.random_point(6, 2, seed=v),
    "check_grad": lambda v: op.checks.check_grad(UNTOUCHABLE.smooth, X, seed=v),
    "check_prox": lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, X, seed=v),
    "minimize": minimizing("seed"),
    "minimize from a point": lambda v: op.minimize(UNTOUCHABLE, X, seed=v),
}
INTEGERS = {
    "Problem.m": ("m", lambda v: op.Problem(ELL, L1, (v, N)), 1),
    "Problem.n": ("n", lambda v: op.Problem(ELL, L1, (M, v)), 1),
    "Matching.m": ("m", lambda v: smooth.Matching(EDGES1, EDGES2, AFFINITY, (v, 2), 1.0), 1),
    "Matching.n": ("n", lambda v: smooth.Matching(EDGES1, EDGES2, AFFINITY, (3, v), 1.0), 1),
    "sparse_pca.n": ("n", lambda v: problems.sparse_pca(A, v, 0.1), 1),
    "compressed_modes.m": ("m", lambda v: problems.compressed_modes(v, 1, 0.1), 3),
    "compressed_modes.n": ("n", lambda v: problems.compressed_modes(M, v, 0.1), 1),
    "minimize.max_iterations": ("max_iterations", minimizing("max_iterations"), 0),
    "solve.every": ("every", lambda v: op.solve(UNTOUCHABLE, op.LSALM(), X, every=v), 1),
    "MaxIterations": ("max_iterations", stopping.MaxIterations, 0),
    "Leaves.grace": ("grace", lambda v: stopping.Leaves(1.0, v), 0),
    "PAMAL.max_cycles": ("max_cycles", lambda v: PAMAL(max_cycles=v), 1),
    "RPG.max_cycles": ("max_cycles", lambda v: RPG(max_cycles=v), 1),
    "AManPG.safeguard": ("safeguard", lambda v: AManPG(safeguard=v), 1),
    "MADMM.max_cycles": ("max_cycles", lambda v: MADMM(max_cycles=v), 1),
    "MIALM.max_cycles": ("max_cycles", lambda v: MIALM(max_cycles=v), 1),
    "MIALM.extra": ("extra", lambda v: MIALM(extra=v), 0),
    "five_components.p": ("p", lambda v: op.datasets.five_components(v, 6), 5),
    "five_components.m": ("m", lambda v: op.datasets.five_components(5, v), 2),
    "random_quadratic.m": ("m", lambda v: op.datasets.random_quadratic(v, 1), 1),
    "random_quadratic.n": ("n", lambda v: op.datasets.random_quadratic(6, v), 1),
    "synthetic_house.frames": ("frames", op.datasets.synthetic_house, 1),
    "random_point.m": ("m", lambda v: op.stiefel.random_point(v, 1), 1),
    "random_point.n": ("n", lambda v: op.stiefel.random_point(6, v), 1),
    **{f"{place}.seed": ("seed", call, 0) for place, call in SEEDED.items()},
}
MAY_BE_NONE = {"minimize.max_iterations", "solve.every"}


@pytest.mark.parametrize("place", INTEGERS)
@pytest.mark.parametrize("value", [-1, np.int64(-7), "minimum"])
def test_whole_numbers_that_are_too_small_are_refused(place, value):
    name, call, minimum = INTEGERS[place]
    value = minimum - 1 if value == "minimum" else value
    with raises(ValueError, f"{name} = {value}; it needs a whole number >= {minimum}"):
        call(value)


NOT_WHOLE = [2.5, 3.0, NAN, True, np.False_, "3", [2], {}, 1j, np.timedelta64(3, "s"), np.float32(2), None]
PLACES_NOT_WHOLE = [(place, v) for place in INTEGERS for v in NOT_WHOLE if v is not None or place not in MAY_BE_NONE]


@pytest.mark.parametrize(("place", "value"), PLACES_NOT_WHOLE, ids=repr)
def test_what_is_not_a_whole_number_is_refused(place, value):
    name, call, _ = INTEGERS[place]
    with raises(TypeError, rf"{name} is .*, a {type(value).__name__}; it needs (a whole number|an int or a numpy)"):
        call(value)


# ---------------------------------------------------------------------------------------------------------------------
# Shapes, terms, methods, rules and options.

BATCH = np.stack([C, C])


@table(
    [
        ("smooth", lambda: op.Problem(None, L1, (6, 2)), TypeError, "The smooth term is None, a NoneType; .* Smooth"),
        ("swapped", lambda: op.Problem(L1, ELL, (6, 2)), TypeError, "The smooth term is .*, a L1; .* orthoprox.smooth"),
        ("nonsmooth", lambda: op.Problem(ELL, 0.1, (6, 2)), TypeError, "nonsmooth term is 0.1, a float; .* Nonsmooth"),
        ("class", lambda: op.Problem(ELL, nonsmooth.Zero, (6, 2)), TypeError, "nonsmooth term is <class .* an instance"),
        ("shape", lambda: op.Problem(ELL, L1, 6), ValueError, r"shape is 6; it needs a pair \(m, n\)"),
        ("triple", lambda: op.Problem(ELL, L1, (6, 2, 1)), ValueError, r"shape is \(6, 2, 1\); it needs a pair \(m, n\)"),
        ("None", lambda: op.Problem(ELL, L1, None), ValueError, r"shape is None; it needs a pair \(m, n\)"),
        ("n > m", lambda: op.Problem(ELL, L1, (2, 6)), ValueError, "n = 6 is larger than m = 2; .* n <= m, .* at most 2"),
        ("A", lambda: op.Problem(ELL, L1, (7, 2)), ValueError, r"X has 7 rows but A has shape \(6, 6\); .* same m"),
        ("B", lambda: op.Problem(ELL, L1, (6, 3)), ValueError, r"X has 3 columns but B has shape \(6, 2\); .* same n"),
        ("mu", lambda: problems.quadratic(C, B, abs(B.T)), ValueError, r"mu has shape \(2, 6\), X has \(6, 2\); pass a number"),
        ("mu 1-d", lambda: problems.sparse_pca(A, 2, np.ones(M)), ValueError, r"mu has shape \(6,\), X has \(6, 2\); pass"),
        ("box", lambda: op.Problem(ELL, nonsmooth.Box(-C, INF), (6, 2)), ValueError, r"lower has shape \(6, 6\), X has"),
        ("spca n", lambda: problems.sparse_pca(A, 7, 0.1), ValueError, "n = 7 is larger than m = 6; .* at most 6 columns"),
        ("modes n", lambda: problems.compressed_modes(4, 5, 0.1), ValueError, "n = 5 is larger than m = 4; .* at most 4"),
        ("random n", lambda: op.stiefel.random_point(2, 3), ValueError, "n = 3 is larger than m = 2; .* at most 2"),
        ("data n", lambda: op.datasets.random_quadratic(2, 3), ValueError, "n = 3 is larger than m = 2; .* at most 2"),
        ("data p", lambda: op.datasets.five_components(7, 6), ValueError, "p = 7; .* p needs to be a multiple of 5"),
        ("wide B", lambda: problems.quadratic(C, np.ones((6, 7)), 0.1), ValueError, "n = 7 is larger than m = 6; .* n <= m"),
        (
            "rows of B",
            lambda: problems.quadratic(C, B[1:], 0.1),
            ValueError,
            r"B has shape \(5, 2\); it needs shape \(6, any\)",
        ),
        ("no B", lambda: problems.quadratic(C, None, 0.1), TypeError, "B is None; it needs an array .* zeros"),
        ("rectangular", lambda: smooth.Quadratic(A), ValueError, r"A has shape \(10, 6\); .* as many rows as columns"),
        ("operator", lambda: smooth.Quadratic(aslinearoperator(A)), ValueError, r"A has shape \(10, 6\); .* as many rows"),
        ("skew", lambda: smooth.Quadratic(np.triu(C)), ValueError, r"A is not symmetric: .*; pass \(A \+ A.T\) / 2"),
        ("skew sparse", lambda: smooth.Quadratic(sp.csr_array(np.triu(C))), ValueError, "A is not symmetric: .*; pass"),
        ("text", lambda: smooth.Variance("A.csv"), TypeError, "A is 'A.csv', a str; it needs an array of real numbers"),
        ("huge", lambda: smooth.Variance(A * 1e200), ValueError, "A'A overflows; it needs to be finite, scale A"),
        (
            "one-sided operator",
            lambda: smooth.Variance(LinearOperator(A.shape, matvec=lambda v: A @ v, dtype=float)),
            TypeError,
            "A is an operator without rmatvec; .* needs products with A'.*, define it",
        ),
        (
            "affinity",
            lambda: smooth.Matching(EDGES1, EDGES2, np.ones((1, 2)), (3, 2), 1.0),
            ValueError,
            r"affinity has shape \(1, 2\); .* each of the 2 edges .* each of the 1 edges",
        ),
        (
            "node numbers",
            lambda: smooth.Matching([[0, 3], [1, 2]], EDGES2, AFFINITY, (3, 2), 1.0),
            ValueError,
            "edges1 has node numbers 0 to 3; they need to lie in 0 to 2",
        ),
        (
            "half nodes",
            lambda: smooth.Matching(EDGES1, [[0, 0.5]], AFFINITY, (3, 2), 1.0),
            ValueError,
            "edges2 has entries that are not whole; it needs node numbers",
        ),
        (
            "edge triples",
            lambda: smooth.Matching([[0, 1, 2]], EDGES2, AFFINITY, (3, 2), 1.0),
            ValueError,
            r"edges1 has shape \(1, 3\); it needs shape \(any, 2\)",
        ),
        ("nodes", lambda: smooth.Matching(EDGES1, EDGES2, AFFINITY, 3, 1.0), ValueError, r"shape is 3; it needs a pair"),
        (
            "graphs",
            lambda: op.Problem(smooth.Matching(EDGES1, EDGES2, AFFINITY, (3, 2), 1.0), L1, (4, 2)),
            ValueError,
            r"X has shape \(4, 2\) but the graphs have 3 and 2 nodes",
        ),
        ("3-d", lambda: problems.graph_matching(A[:, :3], POINTS, 1.0), ValueError, r"\(10, 3\); it needs shape \(any, 2\)"),
        ("few", lambda: problems.graph_matching(POINTS, POINTS[:2], 1.0), ValueError, r"points2 has 2 point.* at least 3"),
        ("order", lambda: problems.graph_matching(POINTS[:3], POINTS, 1.0), ValueError, "points1 has 3 .* has 5; .* swap"),
        ("line", lambda: problems.graph_matching([[0, 0], [1, 1], [2, 2]], POINTS[:3], 1.0), ValueError, "not all on one line"),
        ("fun", lambda: smooth.Function(1.0, fail), TypeError, "fun is 1.0, a float; it needs a callable of X"),
        ("grad", lambda: smooth.Function(fail, X), TypeError, "(?s)grad is array.*, a ndarray; it needs a callable of X"),
        ("g fun", lambda: nonsmooth.Function(None, fail), TypeError, "fun is None, a NoneType; it needs a callable of X"),
        ("prox", lambda: nonsmooth.Function(fail, "soft"), TypeError, "prox is 'soft', a str; .* callable of X and t"),
        ("center", lambda: op.datasets.five_components(5, 6, center="no"), TypeError, "center is 'no', .* True or False"),
        ("folder", lambda: op.datasets.cmu_house(3), TypeError, "folder is 3, a int; it needs a path"),
    ]
)
def test_problems_that_do_not_fit_are_refused(call, error, message):
    with raises(error, message):
        call()


def minimize(*arguments, **options):
    return lambda: op.minimize(*arguments, **options)


def solve(problem=UNTOUCHABLE, solver=None, X0=X, **options):
    return lambda: op.solve(problem, op.LSALM() if solver is None else solver, X0, **options)


@table(
    [
        ("problem", minimize(A), TypeError, r"(?s)problem is array.*, a ndarray; .* orthoprox.problems.sparse_pca\(A, n, mu\)"),
        ("no problem", minimize(None), TypeError, "problem is None, a NoneType; it needs an orthoprox.Problem"),
        ("start", minimize(UNTOUCHABLE, "randm"), ValueError, "start is 'randm'; .* one of .*Did you mean 'random'"),
        ("transposed", minimize(UNTOUCHABLE, X.T), ValueError, r"start has shape \(2, 6\); it needs shape \(6, 2\)"),
        ("batch", minimize(UNTOUCHABLE, X[None]), ValueError, r"start has 3 dimension\(s\).*; it needs shape \(6, 2\)"),
        ("off", minimize(UNTOUCHABLE, 2 * X), ValueError, "off the manifold: .* = 4.24, above .* project=True"),
        ("far off", minimize(UNTOUCHABLE, 1e300 * X), ValueError, "off the manifold: .* = inf, above .* project=True"),
        ("zero", minimize(UNTOUCHABLE, 0 * X, project=True), ValueError, "start is zero, .* pass another"),
        ("project", minimize(UNTOUCHABLE, X, project="no"), TypeError, "project is 'no', a str; it needs True or False"),
        ("progress", minimize(UNTOUCHABLE, X, progress=1), TypeError, "progress is 1, a int; it needs True or False"),
        ("method", minimize(UNTOUCHABLE, method="lslam"), ValueError, "method is 'lslam'; .* Did you mean 'lsalm'"),
        ("capitals", minimize(UNTOUCHABLE, method="LSALM"), ValueError, "method is 'LSALM'; .* Did you mean 'lsalm'"),
        ("other method", minimize(UNTOUCHABLE, method="manpg_ada"), ValueError, "method is .*Did you mean 'manpg-ada'"),
        (
            "step",
            minimize(UNTOUCHABLE, method="soc", penality=1.0),
            TypeError,
            "nor a parameter of soc: penalty.*mean 'penalty'",
        ),
        (
            "other's",
            minimize(UNTOUCHABLE, method="landing", rho=1.0),
            TypeError,
            "'rho' .* of landing: attraction, step_size, safe",
        ),
        ("class", minimize(UNTOUCHABLE, method=op.LSALM), TypeError, "method is <class .*; it needs one of .*'lsalm'"),
        ("both", minimize(UNTOUCHABLE, method=op.LSALM(), rho=1.0), TypeError, "Parameters rho .* has its own; set them there"),
        ("stop", minimize(UNTOUCHABLE, stop=1e-6), TypeError, r"stop is 1e-06, a float; it needs a rule such as Stationary"),
        ("stop class", minimize(UNTOUCHABLE, stop=stopping.Stationary), TypeError, "stop is <class .*; it needs a rule"),
        ("callback", minimize(UNTOUCHABLE, callback=3), TypeError, "callback is 3, a int; it needs a callable of one"),
        ("shown", minimize(UNTOUCHABLE, callback=3, progress=True), TypeError, "callback is 3, a int; it needs a callable"),
        ("rh0", minimize(UNTOUCHABLE, rh0=1.0), TypeError, "'rh0' is not an option .* nor a parameter .*Did you mean 'rho'"),
        ("lamda", minimize(UNTOUCHABLE, lamda=1.0), TypeError, "'lamda' is not an option .*: rho, lam, .*Did you mean 'lam'"),
        ("tolerance", minimize(UNTOUCHABLE, tolerance=1.0), TypeError, "'tolerance' is not an option .*Did you mean 'tol'"),
        ("max_iter", minimize(UNTOUCHABLE, max_iter=9), TypeError, "'max_iter' is not an option .*mean 'max_iterations'"),
        ("y0", minimize(UNTOUCHABLE, y0=0), TypeError, "'y0' is not an option .*Did you mean 'Y0'"),
        ("nonsense", minimize(UNTOUCHABLE, qqq=0), TypeError, r"'qqq' is not an option .* rho, .*, Z0\.$"),
        ("solve", solve(None), TypeError, "problem is None, a NoneType; it needs an orthoprox.Problem"),
        ("solver", solve(solver="lsalm"), TypeError, r"solver is 'lsalm', a str; .* such as orthoprox.LSALM\(\)"),
        ("solver class", solve(solver=op.LSALM), TypeError, r"solver is <class .*; .* such as orthoprox.LSALM\(\)"),
        ("X0", solve(X0=X[1:]), ValueError, r"start has shape \(5, 2\); it needs shape \(6, 2\)"),
        ("X0 off", solve(X0=X + 0.1), ValueError, r"off the manifold: .*Pass orthoprox.stiefel.polar\(X0\)"),
        ("solve stop", solve(stop="never"), TypeError, "stop is 'never', a str; it needs a rule such as"),
        ("solve callback", solve(callback="f"), TypeError, "callback is 'f', a str; it needs a callable of one"),
        (
            "box",
            solve(solver=op.LSALM(box=1.0)),
            TypeError,
            "LSALM needs a separable g for its box; Function is not separable. Choose another method",
        ),
        ("certificate", lambda: op.certificate(X, X), TypeError, "(?s)problem is array.*; it needs an orthoprox.Problem"),
        ("point", lambda: op.certificate(UNTOUCHABLE, X.T), ValueError, r"X has shape \(2, 6\); it needs shape \(6, 2\)"),
        (
            "multiplier",
            lambda: op.certificate(UNTOUCHABLE, X, multiplier=C),
            ValueError,
            r"multiplier has shape \(6, 6\); it needs shape \(2, 2\)",
        ),
        ("experiment", lambda: op.LSALM.paper("sparsepca", PROBLEM), ValueError, "experiment is 'sparsepca'; .*'sparse_pca'"),
        (
            "no experiment",
            lambda: op.LSALM.paper(None, PROBLEM),
            TypeError,
            "experiment is None, .*; it needs one of 'matching'",
        ),
        ("paper", lambda: op.LSALM.paper("sparse_pca", A), TypeError, "(?s)problem is array.*; it needs an orthoprox.Problem"),
        (
            "paper's lam",
            lambda: op.LSALM.paper("sparse_pca", problems.sparse_pca(0 * A, 2, 0.1)),
            ValueError,
            "L in lam = 1/L = 0; it needs a finite number > 0",
        ),
        (
            "rho",
            lambda: op.LSALM(rho=np.ones(3)),
            ValueError,
            r"rho has shape \(3,\); it needs a number, or .* \(batch, 1, 1\)",
        ),
        ("lam", lambda: op.LSALM(lam=[1.0]), TypeError, r"lam is \[1.0\], a list; it needs a real number"),
        ("alpha", lambda: op.LSALM(alpha=np.zeros((2, 1, 1))), ValueError, "alpha has entries that are not finite numbers > 0"),
        ("check_grad", lambda: op.checks.check_grad(L1, X), TypeError, "check_grad was given .*, a L1; it needs a Smooth"),
        ("check_prox", lambda: op.checks.check_prox(ELL, X), TypeError, "check_prox was given .*, a Quadratic; .* Nonsmooth"),
        ("check rows", lambda: op.checks.check_grad(ELL, C[1:]), ValueError, r"X has 5 rows but A has shape \(6, 6\)"),
        (
            "check mu",
            lambda: op.checks.check_prox(nonsmooth.L1(abs(B)), X.T),
            ValueError,
            r"mu has shape \(6, 2\), X has \(2, 6\)",
        ),
        ("or", lambda: stopping.Stationary() | 3, TypeError, "stop is 3, a int; it needs a rule such as Stationary"),
        ("and", lambda: stopping.Stationary() & None, TypeError, "stop is None, a NoneType; it needs a rule such as"),
        ("or class", lambda: stopping.Leaves() | stopping.Leaves, TypeError, "stop is <class .*; it needs a rule such as"),
        ("Below", lambda: stopping.Below(), ValueError, r"Below was given no bound; .* such as Below\(step=1e-4"),
    ]
)
def test_calls_that_do_not_fit_are_refused_before_any_work(call, error, message):
    """The terms of most of these problems raise when they are evaluated: nothing was."""
    with raises(error, message):
        call()


@table(
    [
        ("trial", lambda: RGD(trial="gorw"), ValueError, "trial is 'gorw'; it needs one of .*Did you mean 'grow'"),
        ("Barzilai", lambda: RGD(trial="Barzilai_Borwein"), ValueError, "trial is .*Did you mean 'barzilai-borwein'"),
        (
            "no trial",
            lambda: RGD(trial=None),
            TypeError,
            "trial is None, a NoneType; it needs one of 'barzilai-borwein', 'grow'",
        ),
        ("retraction", lambda: RGD(retraction="QR"), ValueError, "retraction is 'QR'; it needs one of .*Did you mean 'qr'"),
        ("function", lambda: RSM(retraction=op.stiefel.polar), TypeError, "retraction is <function polar.*; it needs one of"),
        ("rule", lambda: RSM(rule="geometrical"), ValueError, "rule is 'geometrical'; .*Did you mean 'geometric'"),
        ("inner", lambda: ManPG(inner="publishd"), ValueError, "inner is 'publishd'; .*Did you mean 'published'"),
        ("inner Ada", lambda: ManPGAda(inner=1), TypeError, "inner is 1, a int; it needs one of 'adaptive', 'published'"),
        ("shrink", lambda: RGD(shrink=1.0), ValueError, "shrink = 1; it needs a number between 0 and 1"),
        ("decrease", lambda: RGD(decrease=1.5), ValueError, "decrease = 1.5; it needs a number between 0 and 1"),
        ("safe", lambda: Landing(safe=1), ValueError, "safe = 1; it needs a distance between 0 and 1, or None"),
        ("growth", lambda: PAMAL(growth=0.9), ValueError, "growth = 0.9; it needs a finite number >= 1"),
        ("accuracy", lambda: PAMAL(accuracy=1.1), ValueError, "accuracy = 1.1; it needs a number of at most 1"),
        ("growth ALM", lambda: ManIAL(growth=0.9), ValueError, "growth = 0.9; it needs a finite number >= 1"),
        ("decrease ALM", lambda: MIALM(decrease=1.1), ValueError, "decrease = 1.1; it needs a number of at most 1"),
        ("rule ALM", lambda: ManIAL(rule="III"), ValueError, "rule is 'III'; it needs one of 'I', 'II'"),
        ("almssn growth", lambda: ALMSSN(growth=0.9), ValueError, "growth = 0.9; it needs a finite number >= 1"),
        ("almssn accuracy", lambda: ALMSSN(accuracy=1.1), ValueError, "accuracy = 1.1; it needs a number of at most 1"),
        ("decay", lambda: RSM(decay=1.1), ValueError, "decay = 1.1; it needs a number of at most 1"),
        ("smoothing", lambda: SmoothingRGD(rule="two phase"), ValueError, "rule is 'two phase'; .*Did you mean 'two-phase'"),
        ("factor", lambda: SmoothingRGD(factor=1.0), ValueError, "factor = 1; it needs a number between 0 and 1"),
        ("dissolving", lambda: Dissolving(inner="bfgs"), ValueError, "inner is 'bfgs'; .*Did you mean 'lbfgs'"),
        ("its decay", lambda: Dissolving(decay=1.1), ValueError, "decay = 1.1; it needs a number of at most 1"),
        ("its cycles", lambda: Dissolving(max_cycles=0), ValueError, "max_cycles = 0; it needs a whole number >= 1"),
        ("no shrink", lambda: RGD(shrink=None), TypeError, "shrink is None, a NoneType; it needs a real number"),
        ("no decay", lambda: RSM(decay=None), TypeError, "decay is None, a NoneType; it needs a real number"),
        ("no gamma", lambda: RADMM(gamma=None), TypeError, "gamma is None, a NoneType; it needs a real number"),
        ("no growth", lambda: PAMAL(growth=None), TypeError, "growth is None, a NoneType; it needs a real number"),
        ("list", lambda: SOC(penalty=[1.0]), TypeError, r"penalty is \[1.0\], a list; it needs a real number"),
        ("array", lambda: PLAM(step_size=np.ones(2)), TypeError, "step_size is array.*, a ndarray; it needs a real number"),
    ]
)
def test_parameters_of_methods_that_do_not_fit_are_refused(call, error, message):
    with raises(error, message):
        call()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Y0": np.eye(3)}, r"Y0 has shape \(3, 3\); it needs shape \(2, 2\)"),
        ({"Y0": np.zeros((4, 2, 2))}, r"Y0 has 3 dimension\(s\), .*; it needs shape \(2, 2\)"),
        ({"Z0": X.T}, r"Z0 has shape \(2, 6\); it needs shape \(6, 2\)"),
        ({"Z0": X[None]}, r"Z0 has 3 dimension\(s\), .*; it needs shape \(6, 2\)"),
        ({"rho": np.ones((4, 1, 1))}, r"rho has shape \(4, 1, 1\), the start \(6, 2\); it needs a number"),
        ({"rho": 1e308}, "lam = 0; it needs a finite number > 0"),
        ({"Y0": 1e308}, "lam = nan; it needs a finite number > 0"),
        ({"rho": 1e-320}, "eps = inf; it needs a finite number >= 0"),
        ({"lam": 1e-320}, "r = inf; it needs a finite number >= 0"),
    ],
    ids=str,
)
def test_parameters_that_do_not_fit_the_problem_are_refused(parameters, message):
    with raises(ValueError, message):
        op.minimize(PROBLEM, **parameters)


@pytest.mark.parametrize("wrap", [lambda rule: rule, lambda rule: stopping.MaxIterations(9) | (stopping.Stationary() & rule)])
def test_a_rule_with_an_unknown_residual_is_refused_at_the_start(wrap):
    with raises(ValueError, "no residual 'stpe'; it has constraint, .* Did you mean 'step'"):
        op.minimize(PROBLEM, stop=wrap(stopping.Below(constraint=1e-30, stpe=1e-3)), callback=fail)


# ---------------------------------------------------------------------------------------------------------------------
# Terms of one's own, and terms for a batch: what they return is looked at once, before the run.


def with_terms(fun=np.sum, grad=np.ones_like, value=lambda P: 0.0, prox=lambda P, t: P):
    return op.Problem(smooth.Function(fun, grad), nonsmooth.Function(value, prox), (M, N))


def returns(value):
    return lambda *_: value


RETURNS = [
    ("grad None", {"grad": returns(None)}, TypeError, "gradient .* returned None, a NoneType; it needs an array"),
    ("grad list", {"grad": returns(X.tolist())}, TypeError, "gradient .* returned .*, a list; it needs an array"),
    ("grad row", {"grad": returns(X[:1])}, ValueError, r"gradient .* returned shape \(1, 2\) for X of shape \(6, 2\)"),
    ("grad number", {"grad": returns(0.0)}, TypeError, "gradient .* returned 0.0, a float; it needs an array"),
    ("grad NaN", {"grad": returns(X * NAN)}, ValueError, "gradient .* returned NaN or infinite entries; it needs finite"),
    ("grad complex", {"grad": returns(X * 1j)}, TypeError, "gradient .* returned dtype complex128; it needs real"),
    ("fun None", {"fun": returns(None)}, TypeError, "value of the smooth .* returned None, .*; it needs one real number"),
    ("fun 2-d", {"fun": returns([[1.0]])}, TypeError, r"value of the smooth .* returned \[\[1.0\]\], .* one real number"),
    ("fun array", {"fun": returns(np.ones((1, 1)))}, TypeError, r"value of the smooth .* ndarray; it needs one real number"),
    ("fun NaN", {"fun": returns(NAN)}, ValueError, "value of the smooth .* returned nan; it needs a finite number"),
    ("fun inf", {"fun": returns(INF)}, ValueError, "value of the smooth .* returned inf; it needs a finite number"),
    ("value text", {"value": returns("0")}, TypeError, "value of the nonsmooth .* returned '0', a str; .* real number"),
    ("value -inf", {"value": returns(-INF)}, ValueError, "value of the nonsmooth .* returned -inf; it needs a finite"),
    ("prox None", {"prox": returns(None)}, TypeError, "prox .* returned None, a NoneType; it needs an array"),
    ("prox column", {"prox": returns(X[:, :1])}, ValueError, r"prox .* returned shape \(6, 1\) for X of shape \(6, 2\)"),
    ("prox int", {"prox": returns(np.ones((M, N), int))}, TypeError, "prox .* returned dtype int64; it needs real floating"),
    ("prox inf", {"prox": returns(X * INF)}, ValueError, "prox .* returned NaN or infinite entries; it needs finite"),
]


@pytest.mark.parametrize(("terms", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in RETURNS])
def test_terms_that_return_the_wrong_thing_are_refused(terms, error, message):
    with raises(error, message):
        op.minimize(with_terms(**terms), callback=fail)
    with raises(error, message):
        op.certificate(with_terms(**terms), X)


@pytest.mark.parametrize(("terms", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in RETURNS])
def test_the_checks_say_the_same(terms, error, message):
    problem, needed = with_terms(**terms), "it needs|both need|finite"
    with raises(error, needed):
        if terms.keys() & {"fun", "grad"}:
            op.checks.check_grad(problem.smooth, X)
        else:
            op.checks.check_prox(problem.nonsmooth, X)


def test_a_wrong_gradient_is_reported():
    with raises(ValueError, "gradient does not fit the value: relative error .*, above 1e-05. Check its formula"):
        op.checks.check_grad(smooth.Function(lambda X: np.sum(X**2), lambda X: X), X)


def test_a_wrong_prox_is_reported():
    wrong = nonsmooth.Function(lambda X: np.sum(np.abs(X)), lambda X, t: np.sign(X) * np.maximum(np.abs(X) - t / 2, 0))
    with raises(ValueError, "prox does not minimise its model: .* better by .* Check its formula, the meaning of t"):
        op.checks.check_prox(wrong, X)


def test_a_prox_is_not_checked_beyond_its_modulus():
    with raises(ValueError, "t = 0.5; .* t < 1 / modulus = 0.25, pass a smaller t"):
        op.checks.check_prox(nonsmooth.Function(fail, fail, modulus=4.0), X)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (op.Problem(smooth.Quadratic(BATCH), L1, (M, N)), r"gradient .* Quadratic returned shape \(2, 6, 2\)"),
        (problems.sparse_pca(np.stack([A, A]), N, 0.1), r"gradient .* Variance returned shape \(2, 6, 2\)"),
        (problems.quadratic(C, B, np.ones((2, M, N))), r"value .* L1 returned array\(.*; it needs one real number"),
        (
            problems.quadratic(1e308 * np.ones((M, M)), B, 0.1),
            "The curvature of Quadratic = inf; it needs a finite number",
        ),
        (problems.sparse_pca(1e200 * A[:1], N, 0.1), "gradient .* Variance returned NaN or infinite .* scale the data"),
    ],
    ids=["batch A", "batch of data", "batch mu", "huge A", "huge data"],
)
def test_data_that_one_run_cannot_use_are_refused(problem, message):
    with raises((ValueError, TypeError), message):
        op.minimize(problem)


@pytest.mark.parametrize("constant", [None, "1", NAN, INF, -1.0], ids=repr)
def test_a_bad_lipschitz_constant_is_refused(constant):
    class Mine(smooth.Quadratic):
        lipschitz = constant

    with raises((ValueError, TypeError), "Mine.lipschitz (is|=) .*; it needs a (real|finite) number"):
        op.minimize(op.Problem(Mine(C), L1, (M, N)))


# ---------------------------------------------------------------------------------------------------------------------
# What looks odd and is right.


def strided(matrix):
    return np.repeat(np.repeat(matrix, 2, 0), 3, 1)[::2, ::3]


WHOLE = np.round(4 * A)
SAME = {
    "integers": WHOLE.astype(int),
    "int8": WHOLE.astype(np.int8),
    "float16": WHOLE.astype(np.float16),
    "long double": WHOLE.astype(np.longdouble),
    "list of lists": WHOLE.tolist(),
    "tuple of arrays": tuple(WHOLE),
    "np.matrix": np.asmatrix(WHOLE),
    "Fortran order": np.asfortranarray(WHOLE),
    "not contiguous": strided(WHOLE),
    "reversed": WHOLE[::-1],
    "big-endian": WHOLE.astype(">f8"),
    "csr": sp.csr_array(WHOLE),
    "csc of integers": sp.csc_array(WHOLE.astype(int)),
    "coo": sp.coo_array(WHOLE),
    "lil": sp.lil_array(WHOLE),
    "spmatrix": sp.csr_matrix(WHOLE),
    "operator": aslinearoperator(WHOLE),
}


@pytest.mark.parametrize("kind", SAME)
def test_the_same_data_in_any_dress(kind):
    plain, dressed = smooth.Variance(WHOLE), problems.sparse_pca(SAME[kind], np.int8(N), np.float32(0.5)).smooth
    np.testing.assert_allclose(dressed.grad(X), plain.grad(X), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(float(dressed.value(X)), float(plain.value(X)), rtol=1e-12)
    assert dressed.lipschitz == pytest.approx(plain.lipschitz, rel=1e-6)


@pytest.mark.parametrize(
    "mu", [1, np.float32(1), np.int8(1), np.array(1.0), np.array(1), Fraction(1), [1, 1], [[1.0]]], ids=repr
)
def test_the_same_number_in_any_dress(mu):
    problem = problems.quadratic(C, B, mu)
    assert problem.value(X) == pytest.approx(problems.quadratic(C, B, 1.0).value(X))
    if np.ndim(mu) == 0:
        mine = [op.LSALM(lam=mu), nonsmooth.MCP(mu), nonsmooth.SCAD(mu), nonsmooth.L21(mu)]
        assert [type(term.mu if hasattr(term, "mu") else term.lam) for term in mine] == [float] * 4
        assert op.minimize(problem, X, rho=mu, max_seconds=mu, stop=stopping.MaxIterations(0) & stopping.Below(step=mu) | DONE)


class Done(stopping.Stop):
    """A rule that is met at once."""

    def check(self, now):
        return op.Status.CONVERGED


DONE = Done()


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 3), (4, 1), (4, 3), (20, 20)])
def test_shapes_at_the_border(m, n):
    data = np.random.default_rng(1).standard_normal((8, m))
    terms = [nonsmooth.L21(0.1), nonsmooth.MCP(0.1), nonsmooth.SCAD(0.1), nonsmooth.Nonnegative(), nonsmooth.Box(-1, 1)]
    runs = [problems.sparse_pca(data, n, 0.1), problems.quadratic(data.T @ data, np.ones((m, n)), 0.1)]
    runs += [problems.compressed_modes(m, n, 0.1)] if m >= 3 else []
    runs += [op.Problem(smooth.Variance(data), g, (m, n)) for g in [*terms, nonsmooth.Zero()]]
    for problem in runs:
        result = op.solve(problem, op.LSALM(), op.stiefel.random_point(m, n), stop=stopping.MaxIterations(3))
        assert result.X.shape == (m, n)
        assert np.isfinite(result.certificate.upper)


def test_a_start_off_the_manifold_is_projected_when_asked():
    for start in (2 * X, (1e300 * X).tolist(), 1e-300 * X, X @ np.array([[2.0, 1.0], [0.0, 3.0]])):
        result = op.minimize(PROBLEM, start, project=True, stop=DONE)
        assert result.feasibility < 1e-14
    np.testing.assert_allclose(op.minimize(PROBLEM, 2 * X, project=True, stop=DONE).X, X, atol=1e-14)


def test_zero_data():
    for problem in (
        problems.sparse_pca(np.zeros((9, M)), N, 0.1),
        problems.quadratic(sp.csr_array((20, 20)), np.zeros((20, 2)), 0),
    ):
        assert np.isfinite(op.solve(problem, op.LSALM(), op.stiefel.random_point(*problem.shape)).objective)


# ---------------------------------------------------------------------------------------------------------------------
# No input is changed.


def locked(value):
    value = np.array(value)
    value.setflags(write=False)
    return value


def locked_sparse(value):
    value = sp.csr_array(value)
    for part in (value.data, value.indices, value.indptr):
        part.setflags(write=False)
    return value


RUNS = {
    "sparse_pca": (problems.sparse_pca, locked(A), 2, locked(np.full((M, N), 0.1))),
    "sparse_pca wide": (problems.sparse_pca, locked(A[:2]), 2, 0.1),
    "sparse_pca sparse": (problems.sparse_pca, locked_sparse(A), 2, 0.1),
    "quadratic": (problems.quadratic, locked(C), locked(B), 0.1),
    "quadratic sparse": (problems.quadratic, locked_sparse(C), locked(B), 0.1),
    "quadratic lists": (problems.quadratic, C.tolist(), B.tolist(), [[0.1, 0.2]]),
    "compressed_modes": (problems.compressed_modes, M, N, locked(np.full((M, N), 0.1))),
    "graph_matching": (problems.graph_matching, locked(A[:M, :2]), locked(A[:M, 2:4]), 1.0),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("project", [False, True])
def test_a_run_changes_no_input(name, project):
    make, *arguments = RUNS[name]
    before = copy.deepcopy(arguments)
    problem = make(*arguments)
    m, n = problem.shape
    start, Y0, Z0 = locked(op.stiefel.random_point(m, n)), locked(np.eye(n)), locked(np.ones((m, n)))
    points = [start.copy(), Y0.copy(), Z0.copy()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        op.minimize(problem, start, project=project, Y0=Y0, Z0=Z0, max_iterations=20)
    op.certificate(problem, start, multiplier=Y0)
    for given, kept in zip([*arguments, start, Y0, Z0], [*before, *points], strict=True):
        same = (given != kept).nnz == 0 if sp.issparse(given) else np.array_equal(given, kept)
        assert same


TERMS = smooth_terms(locked) | operator_terms() | nonsmooth_terms(locked)


@pytest.mark.parametrize("name", TERMS)
def test_a_term_changes_no_input(name):
    term = TERMS[name]
    at = locked(0.4 * np.random.default_rng(3).standard_normal(SHAPE))
    before = at.copy()
    term.value(at)
    if isinstance(term, op.terms.Smooth):
        term.grad(at)
        term.value_and_grad(at)
        op.checks.check_grad(term, at)
    else:
        term.prox(at, 0.5)
        op.checks.check_prox(term, at)
    if isinstance(term, op.terms.HasSubdifferential):
        term.min_norm_subgradient(at, at)
        term.directional_derivative(at, at)
    if isinstance(term, op.terms.HasProxDerivative):
        term.prox_derivative(at, 0.5)(at)
    if isinstance(term, op.terms.HasResolvent):
        term.resolvent(2 * term.modulus + 1)(at)
    np.testing.assert_array_equal(at, before)
