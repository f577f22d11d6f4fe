"""Weights that a path refuses."""

import pytest

import orthoprox as op
from small_problems import GAUSSIAN


@pytest.mark.parametrize("mus", [None, 0.5, "ab"])
def test_weights_that_are_no_list(mus):
    with pytest.raises(TypeError, match="needs a list of weights"):
        op.path(GAUSSIAN, mus)
