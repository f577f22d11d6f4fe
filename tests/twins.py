"""Comparing another array library with NumPy, and batches with single calls."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import NONSMOOTH, SHAPE, SMOOTH, SMOOTH_ONLY, nonsmooth_terms, smooth_terms
from orthoprox._arrays.library import to_numpy

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


def pairs():
    """Problems in NumPy and in the strict library, each smooth and each nonsmooth term at least
    once.
    """
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
