"""The start from a path of smoothed problems."""

from importlib import import_module

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.smooth import Function
from orthoprox.starts import STARTS, smoothed
from orthoprox.starts.search import follow, path_length


def test_smoothed_is_lower_than_random():
    problem = gaussian_pca()
    assert problem.value(smoothed(problem, np.random.default_rng(0))) < problem.value(
        STARTS["random"](problem, np.random.default_rng(0))
    )


@pytest.mark.parametrize("widths", [SETTINGS.widths, SETTINGS.widths[1:], ()])
def test_a_path_has_as_many_iterations_as_it_says(monkeypatch, widths):
    """One stage for each width, each from the end of the one before; the first is the longest."""
    module, taken = import_module("orthoprox.starts.search"), []
    monkeypatch.setattr(module, "advance", lambda problem, X, iterations: taken.append(iterations) or X)
    X = STARTS["random"](gaussian_pca(), np.random.default_rng(0))
    follow(gaussian_pca(), X, widths)
    assert len(taken) == len(widths)
    assert sum(taken) == (path_length(widths) if widths else 0)
    assert taken[1:] == [SETTINGS.window] * len(widths[1:])


@pytest.mark.parametrize("radius", [np.inf, 1.01])
def test_a_path_ends_on_the_manifold(radius):
    """Also if l is defined next to the manifold only."""
    problem = gaussian_pca()
    most = radius * problem.shape[1] ** 0.5

    def grad(X):
        return problem.smooth.grad(X) if np.linalg.norm(X) <= most else np.nan * X

    own = op.Problem(Function(problem.smooth.value, grad), problem.nonsmooth, problem.shape)
    with np.errstate(invalid="ignore"):
        X = follow(own, STARTS["random"](problem, np.random.default_rng(0)), SETTINGS.widths)
    assert op.metrics.feasibility(X) < 1e-12
