"""Data with five components."""

import numpy as np
import pytest

from orthoprox.datasets import five_components


class TestFiveComponents:
    @pytest.mark.parametrize("center", [False, True])
    def test_columns_have_norm_one(self, center):
        A = five_components(20, 37, center=center, seed=1)
        assert A.shape == (20, 37)
        assert A.dtype == np.float64
        np.testing.assert_allclose(np.linalg.norm(A, axis=0), 1, atol=1e-14)

    def test_centering_makes_column_means_zero(self):
        assert np.abs(five_components(20, 37, seed=1).mean(axis=0)).max() > 1e-2
        np.testing.assert_allclose(five_components(20, 37, center=True, seed=1).mean(axis=0), 0, atol=1e-15)

    def test_without_noise_the_rank_is_five(self):
        """p/5 copies of each of five independent components, whose columns are scaled: the rank
        stays 5.
        """
        A = five_components(20, 100, sd=0.0)
        assert np.linalg.matrix_rank(A) == 5
        np.testing.assert_array_equal(A[0::4], A[3::4])

    def test_the_seed_decides(self):
        first = five_components(10, 8, seed=3)
        np.testing.assert_array_equal(first, five_components(10, 8, seed=3))
        np.testing.assert_array_equal(first, five_components(10, 8, seed=np.random.default_rng(3)))
        assert np.abs(first - five_components(10, 8, seed=4)).max() > 1e-3

    @pytest.mark.parametrize("p", [7, 11])
    def test_p_is_a_multiple_of_five(self, p):
        with pytest.raises(ValueError, match=f"p = {p}; .* multiple of 5"):
            five_components(p, 8)

    def test_wrong_arguments_are_named(self):
        with pytest.raises(ValueError, match="sd = -1"):
            five_components(10, 8, sd=-1)
        with pytest.raises(TypeError, match="seed is 'a'"):
            five_components(10, 8, seed="a")


@pytest.mark.parametrize("sd", [0.0, 1e-320, 1e-200, 1e160, 1e308])
@pytest.mark.parametrize("center", [False, True])
def test_columns_have_norm_1_with_noise_of_any_size(sd, center):
    A = five_components(20, 40, sd=sd, center=center)
    norms = np.linalg.norm(A, axis=0)
    np.testing.assert_allclose(norms[norms != 0], 1.0, rtol=1e-14)
    assert np.all(norms > 0) or sd == 0 or center
