"""Mistakes in the parameters of a nonsmooth term are named."""

from fractions import Fraction

import numpy as np
import pytest

import orthoprox as op
from cases import SHAPE
from orthoprox import nonsmooth
from refusals import INF, NAN, NONNEGATIVE, POSITIVE, B, C, X, bad_arrays, bad_numbers, fail, table

ARRAYS = {
    "Box.lower": ("lower", lambda v: nonsmooth.Box(v, INF), B),
    "Box.upper": ("upper", lambda v: nonsmooth.Box(-INF, v), B),
    "L1.mu": ("mu", nonsmooth.L1, abs(B)),
}
NUMBERS = {
    "L1.mu": ("mu", nonsmooth.L1, NONNEGATIVE),
    "L1.bound": ("bound", lambda v: nonsmooth.L1(1.0, v), POSITIVE),
    "L21.mu": ("mu", nonsmooth.L21, NONNEGATIVE),
    "MCP.mu": ("mu", nonsmooth.MCP, NONNEGATIVE),
    "MCP.gamma": ("gamma", lambda v: nonsmooth.MCP(1.0, v), POSITIVE),
    "SCAD.mu": ("mu", nonsmooth.SCAD, NONNEGATIVE),
    "SCAD.a": ("a", lambda v: nonsmooth.SCAD(1.0, v), "a finite number > 1"),
    "Function.modulus": ("modulus", lambda v: nonsmooth.Function(fail, fail, v), NONNEGATIVE),
}
MISFITS = [
    ("L1", lambda: nonsmooth.L1(None), TypeError, "mu is None, a NoneType; it needs a real number"),
    ("L1 -", lambda: nonsmooth.L1([[1.0, -1.0]]), ValueError, "mu has negative entries; .* needs entries >= 0"),
    ("MCP", lambda: nonsmooth.MCP([1.0]), TypeError, r"mu is \[1.0\], a list; it needs a real number"),
    ("MCP tiny", lambda: nonsmooth.MCP(1.0, 1e-320), ValueError, "modulus 1 / gamma = inf; it needs a finite"),
    ("SCAD", lambda: nonsmooth.SCAD(1.0, a=1.0), ValueError, "a = 1; it needs a finite number > 1"),
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
    ("g fun", lambda: nonsmooth.Function(None, fail), TypeError, "fun is None, a NoneType; it needs a callable of X"),
    ("prox", lambda: nonsmooth.Function(fail, "soft"), TypeError, "prox is 'soft', a str; .* callable of X and t"),
]


@table(bad_arrays(ARRAYS), bad_numbers(NUMBERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "g", [nonsmooth.L1(np.ones((5, 3))), nonsmooth.Box(np.zeros((5, 3)), 1.0), nonsmooth.Box(0.0, np.ones((5, 3)))]
)
def test_entrywise_parameters_fit_the_shape(g):
    """A problem refuses weights and bounds that do not broadcast to X."""
    with pytest.raises(ValueError, match=r"\(5, 3\)"):
        op.Problem(op.smooth.Quadratic(np.eye(7)), g, SHAPE)


@pytest.mark.parametrize("mu", [1, np.float32(1), np.int8(1), np.array(1.0), np.array(1), Fraction(1)], ids=repr)
def test_a_weight_becomes_a_float(mu):
    """Whatever the number that is given."""
    assert [type(g.mu) for g in (nonsmooth.MCP(mu), nonsmooth.SCAD(mu), nonsmooth.L21(mu))] == [float] * 3
