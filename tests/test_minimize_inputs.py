"""Mistakes in the options of the front door are named before any work is done; no input is
changed.
"""

import copy
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox import problems, smooth, stopping
from refusals import (
    L1,
    POSITIVE,
    PROBLEM,
    UNTOUCHABLE,
    A,
    B,
    C,
    M,
    N,
    X,
    bad_arrays,
    bad_integers,
    bad_matrices,
    bad_numbers,
    every_return,
    fail,
    locked,
    table,
    with_terms,
)


def minimize(*arguments, **options):
    return lambda: op.minimize(*arguments, **options)


def option(name, *arguments, **options):
    return lambda v: op.minimize(UNTOUCHABLE, *arguments, **options, **{name: v})


START = {
    "minimize.start": ("The start", lambda v: op.minimize(UNTOUCHABLE, v), X),
    "minimize.start projected": ("The start", lambda v: op.minimize(UNTOUCHABLE, v, project=True), X),
}
CENTRE = {"minimize.Z0": ("Z0", option("Z0"), X)}
MULTIPLIER = {"minimize.Y0": ("Y0", option("Y0"), np.eye(N))}
NUMBERS = {
    "minimize.tol": ("tol", option("tol"), POSITIVE),
    "minimize.tol beside stop": ("tol", option("tol", stop=stopping.MaxIterations(1)), POSITIVE),
    "minimize.max_seconds": ("max_seconds", option("max_seconds"), POSITIVE),
    "minimize.lam": ("lam", option("lam"), POSITIVE),
    "minimize.step_size": ("step_size", option("step_size", method="rgd"), POSITIVE),
}
BUDGET = {"minimize.max_iterations": ("max_iterations", option("max_iterations"), 0)}
SEEDS = {
    "minimize.seed": ("seed", option("seed"), 0),
    "minimize.seed from a point": ("seed", option("seed", X), 0),
}
MISFITS = [
    (
        "problem",
        minimize(A),
        TypeError,
        r"problem is a NumPy array of shape \(10, 6\); .* orthoprox.problems.sparse_pca\(A, n, mu\)",
    ),
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
    ("both", minimize(UNTOUCHABLE, method=op.LSALM(), rho=1.0), TypeError, "Parameters rho .* pass them to the method itself"),
    ("stop", minimize(UNTOUCHABLE, stop=1e-6), TypeError, r"stop is 1e-06, a float; it needs a rule such as Stationary"),
    ("stop class", minimize(UNTOUCHABLE, stop=stopping.Stationary), TypeError, "stop is <class .*; it needs a rule"),
    ("callback", minimize(UNTOUCHABLE, callback=3), TypeError, "callback is 3, a int; it needs a callable of one"),
    ("shown", minimize(UNTOUCHABLE, callback=3, progress=True), TypeError, "callback is 3, a int; it needs a callable"),
    ("rh0", minimize(UNTOUCHABLE, rh0=1.0), TypeError, "'rh0' is not an option .* nor a parameter .*Did you mean 'rho'"),
    ("lamda", minimize(UNTOUCHABLE, lamda=1.0), TypeError, "'lamda' is not an option .*: rho, lam, .*Did you mean 'lam'"),
    ("tolerance", minimize(UNTOUCHABLE, tolerance=1.0), TypeError, "'tolerance' is not an option .*Did you mean 'tol'"),
    ("max_iter", minimize(UNTOUCHABLE, max_iter=9), TypeError, "'max_iter' is not an option .*mean 'max_iterations'"),
    ("y0", minimize(UNTOUCHABLE, y0=0), TypeError, "'y0' is not an option .*Did you mean 'Y0'"),
    ("random_state", minimize(UNTOUCHABLE, random_state=0), TypeError, "'random_state' is not an option .*mean 'seed'"),
    ("n_init", minimize(UNTOUCHABLE, method="soc", n_init=3), TypeError, "'n_init' is not an option .*mean 'n_starts'"),
    ("x0", minimize(UNTOUCHABLE, x0=X), TypeError, "'x0' is not an option .*mean 'start'"),
    ("polish", minimize(UNTOUCHABLE, polish="a" * 999), ValueError, "polish is 'aaa.{70,99}'; it needs True, False or 'auto'"),
    ("nonsense", minimize(UNTOUCHABLE, qqq=0), TypeError, r"'qqq' is not an option .* rho, .*, Z0\.$"),
]


@table(
    bad_matrices(START),
    bad_matrices(CENTRE, required=False),
    bad_arrays(MULTIPLIER),
    bad_numbers(NUMBERS),
    bad_integers(BUDGET, none=False),
    bad_integers(SEEDS),
)
def test_bad_options_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@table(MISFITS)
def test_options_that_do_not_fit_are_refused_before_any_work(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("wrap", [lambda rule: rule, lambda rule: stopping.MaxIterations(9) | (stopping.Stationary() & rule)])
def test_a_rule_with_an_unknown_residual_is_refused_at_the_start(wrap):
    with pytest.raises(ValueError, match=r"no residual 'stpe'; it has constraint, .* Did you mean 'step'"):
        op.minimize(PROBLEM, stop=wrap(stopping.Below(constraint=1e-30, stpe=1e-3)), callback=fail)


@every_return
def test_terms_that_return_the_wrong_thing_are_refused(terms, error, message):
    with pytest.raises(error, match=message):
        op.minimize(with_terms(**terms), callback=fail)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (op.Problem(smooth.Quadratic(np.stack([C, C])), L1, (M, N)), r"gradient .* Quadratic returned shape \(2, 6, 2\)"),
        (problems.sparse_pca(np.stack([A, A]), N, 0.1), r"gradient .* Variance returned shape \(2, 6, 2\)"),
        (
            problems.quadratic(C, B, np.ones((2, M, N))),
            "value .* L1 returned a NumPy array .*; it needs one real number",
        ),
        (problems.sparse_pca(1e200 * A[:1], N, 0.1), "gradient .* Variance returned NaN or infinite .* scale the data"),
    ],
    ids=["batch A", "batch of data", "batch mu", "huge data"],
)
def test_data_that_one_run_cannot_use_are_refused(problem, message):
    with pytest.raises((ValueError, TypeError), match=message):
        op.minimize(problem)


class Done(stopping.Stop):
    """A rule that is met at once."""

    def check(self, now):
        return op.Status.CONVERGED


DONE = Done()


def test_a_start_off_the_manifold_is_projected_when_asked():
    for start in (2 * X, (1e300 * X).tolist(), 1e-300 * X, X @ np.array([[2.0, 1.0], [0.0, 3.0]])):
        result = op.minimize(PROBLEM, start, project=True, stop=DONE)
        assert result.feasibility < 1e-14
    np.testing.assert_allclose(op.minimize(PROBLEM, 2 * X, project=True, stop=DONE).X, X, atol=1e-14)


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


@pytest.mark.parametrize("value", [1, np.float32(1), np.int8(1), np.array(1.0), np.array(1), Fraction(1)], ids=repr)
def test_the_same_number_in_any_dress(value):
    assert type(op.LSALM(lam=value).lam) is float
    rule = stopping.MaxIterations(0) & stopping.Below(step=value) | DONE
    assert op.minimize(problems.quadratic(C, B, value), X, rho=value, max_seconds=value, stop=rule)
