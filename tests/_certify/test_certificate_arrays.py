"""Certificates with arrays of another library."""

import array_api_strict as strict
import pytest

import orthoprox as op
from cases import SHAPE
from orthoprox import stiefel
from twins import every_pair, same


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
