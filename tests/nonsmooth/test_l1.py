"""The l1 norm, with weights and a bound."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, SHAPE, WEIGHTS, normal
from orthoprox.nonsmooth import L1, Box

STEPS = st.floats(0.01, 0.99)


@given(seed=SEEDS, t=STEPS, bound=st.floats(0.1, 2.0))
@EXAMPLES
def test_prox_of_l1_is_the_clipped_soft_threshold(seed, t, bound):
    """prox_tg(W) = sign(W) min(max(|W| - t mu, 0), c) for g = |mu o .|_1 with |x_ij| <= c."""
    W = 2 * normal(seed, *SHAPE)
    soft = np.sign(W) * np.maximum(np.abs(W) - t * WEIGHTS, 0)
    np.testing.assert_allclose(L1(WEIGHTS).prox(W, t), soft, atol=1e-15)
    np.testing.assert_allclose(L1(WEIGHTS, bound=bound).prox(W, t), np.clip(soft, -bound, bound), atol=1e-15)


def test_bounded_l1_is_l1_plus_a_box():
    """mu |X|_1 with |x_ij| <= c is the sum of the two terms, slack included."""
    both, box = L1(0.3, bound=0.7), Box(-0.7, 0.7)
    for x in (-0.8, -0.7 - 2e-6, -0.7 - 5e-7, 0.0, 0.7, 0.7 + 5e-7, 0.7 + 2e-6):
        X = np.full((1, 1), x)
        assert both.value(X) == L1(0.3).value(X) + box.value(X)
