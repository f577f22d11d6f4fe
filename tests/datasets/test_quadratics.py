"""Random quadratics."""

import numpy as np
import pytest

from orthoprox.datasets import random_quadratic


class TestRandomQuadratic:
    def test_spectrum_of_A_and_norms_of_B_are_powers_of_1_01(self):
        A, B = random_quadratic(30, 6, seed=2)
        np.testing.assert_array_equal(A, A.T)
        np.testing.assert_allclose(np.linalg.eigvalsh(A)[::-1], [1.01 ** (1 - i) for i in range(1, 31)], rtol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(B, axis=0), [1.01 ** (j - 1) for j in range(1, 7)], rtol=1e-14)

    def test_the_seed_decides(self):
        A, B = random_quadratic(8, 3, seed=5)
        again = random_quadratic(8, 3, seed=np.random.default_rng(5))
        np.testing.assert_array_equal(A, again[0])
        np.testing.assert_array_equal(B, again[1])

    def test_more_columns_than_rows_are_refused(self):
        with pytest.raises(ValueError, match="n = 4 is larger than m = 3"):
            random_quadratic(3, 4)
