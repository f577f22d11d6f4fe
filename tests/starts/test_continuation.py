"""The start from a path of smoothed problems."""

from importlib import import_module

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox._adaptive.settings import SETTINGS
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


def test_a_stage_that_ends_nowhere_is_left_out(monkeypatch):
    monkeypatch.setattr(import_module("orthoprox.starts.search"), "advance", lambda problem, X, iterations: np.nan * X)
    X = STARTS["random"](gaussian_pca(), np.random.default_rng(0))
    np.testing.assert_array_equal(follow(gaussian_pca(), X, SETTINGS.widths), X)


def test_a_path_ends_on_the_manifold():
    problem = gaussian_pca()
    X = follow(problem, STARTS["random"](problem, np.random.default_rng(0)), SETTINGS.widths)
    assert op.metrics.feasibility(X) < 1e-12
