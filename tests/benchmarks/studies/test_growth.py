"""The exponents of growth are those of power laws."""

import numpy as np
import pytest
from benchmarks.studies.growth import exponent


@pytest.mark.parametrize("power", [0.0, 1.0, 2.5])
def test_a_power_law_has_its_exponent(power):
    sizes = [100, 200, 400, 800]
    slope, factor = exponent(sizes, [3 * size**power for size in sizes])
    assert slope == pytest.approx(power, abs=1e-9)
    assert factor == pytest.approx(3)


def test_a_fit_leaves_out_what_has_no_logarithm():
    assert exponent([1, 10, 100], [0.0, 10.0, 100.0])[0] == pytest.approx(1)
    assert np.isnan(exponent([1, 10], [0.0, 1.0])[0])
