"""The picture of the README shows what the README says."""

import re
from pathlib import Path

import numpy as np
import pytest

from docs import picture

README = Path(__file__).parents[2] / "README.md"


def test_the_largest_loading_of_each_component_becomes_positive():
    assert np.array_equal(picture.signed(np.array([[0.6, -0.8], [0.8, 0.6]])), [[-0.6, 0.8], [0.8, 0.6]])


@pytest.mark.extended
def test_the_picture_has_the_figures_of_its_description():
    described = re.search(r"!\[(.*?)\]\(docs/wine.png\)", README.read_text(encoding="utf-8"), flags=re.DOTALL)[1]
    figure = picture.draw()
    for axes, nonzeros in zip(figure.axes[:2], (52, picture.NONZEROS), strict=True):
        assert len(axes.texts) == nonzeros
        share = axes.get_title().partition("\n")[2].partition(" %")[0]
        assert f"{nonzeros} loadings" in axes.get_title()
        assert f"{nonzeros}" in described
        assert f"{share} %" in described


def test_the_picture_is_small():
    assert picture.PICTURE.stat().st_size < 150_000
