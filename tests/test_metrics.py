"""What is measured at a point: the same numbers as inside, for input that is checked."""

import pytest

import orthoprox as op
from cases import normal
from refusals import bad_matrices, table

X = normal(0, 6, 2)
MATRICES = {f"{name}.X": ("X", getattr(op.metrics, name), X) for name in ("feasibility", "sparsity")}


@table(bad_matrices(MATRICES))
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_sparsity_counts_entries_below_a_hundred_thousandth():
    assert op.metrics.sparsity([[0.0, 1.0], [-9e-6, 2e-5]]) == 0.5


def test_feasibility_is_that_of_the_geometry():
    assert op.metrics.feasibility(X.tolist()) == op.stiefel.feasibility(X)
