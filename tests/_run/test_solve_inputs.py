"""Mistakes in the arguments of a run are named before any work is done."""

import pytest

import orthoprox as op
from refusals import UNTOUCHABLE, X, bad_integers, bad_matrices, table


def solve(problem=UNTOUCHABLE, solver=None, X0=X, **options):
    return lambda: op.solve(problem, op.LSALM() if solver is None else solver, X0, **options)


START = {"solve.X0": ("The start", lambda v: op.solve(UNTOUCHABLE, op.LSALM(), v), X)}
EVERY = {"solve.every": ("every", lambda v: op.solve(UNTOUCHABLE, op.LSALM(), X, every=v), 1)}
MISFITS = [
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
]


@table(bad_matrices(START), bad_integers(EVERY, none=False), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
