"""Snapshots of a small run, for rules to look at."""

import numpy as np

import orthoprox as op
from orthoprox._certify.evaluator import Evaluator


def snapshot(**changes):
    """An iterate of a quadratic with an l1 penalty, as a rule sees it."""
    A, B = op.datasets.random_quadratic(6, 2, seed=0)
    problem = op.problems.quadratic(A, B, 0.1)
    X = op.stiefel.random_point(6, 2, 0)
    fields = {
        "problem": problem,
        "iteration": 5,
        "X": X,
        "own_multiplier": lambda: None,
        "seconds": 2.0,
        "run_seconds": 1.0,
        "due": False,
        "scheduled": False,
        "residuals": {"step": lambda: 1e-4, "constraint": lambda: 2.0},
        "evaluator": Evaluator.at(problem, X),
        "checked": 0,
        "scale": 1.0,
        "least": np.inf,
        "earlier": 0.0,
    }
    return op.Snapshot(**{**fields, **changes})
