"""Probes: some iterations from a start."""

import numpy as np

import orthoprox as op
from cases import gaussian_pca
from orthoprox.starts import STARTS
from orthoprox.starts.search import probe_value


def test_a_probe_measures_f_on_the_manifold():
    problem = gaussian_pca()
    value = probe_value(problem, STARTS["random"](problem, np.random.default_rng(0)))
    assert value >= op.minimize(problem, n_starts=1).objective - 1e-6
    assert value < problem.value(STARTS["random"](problem, np.random.default_rng(0)))
