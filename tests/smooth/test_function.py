"""A smooth term of two callables."""

import numpy as np
import pytest

from cases import SHAPE, SMOOTH, normal
from orthoprox.smooth import Function
from orthoprox.smooth.base import HasLipschitz


def test_function_wraps_two_callables():
    """Function(fun, grad) is the term with that value and that gradient, and knows no Lipschitz
    constant.
    """
    ell, X = SMOOTH["Quadratic linear"], normal(0, *SHAPE)
    wrapped = Function(ell.value, ell.grad)
    assert wrapped.value(X) == ell.value(X)
    np.testing.assert_array_equal(wrapped.grad(X), ell.grad(X))
    assert not isinstance(wrapped, HasLipschitz)
    with pytest.raises(TypeError, match="grad is None"):
        Function(ell.value, None)


def test_a_function_that_changes_its_argument_does_not_change_the_gradient():
    def doubling(X):
        X *= 2
        return np.sum(X)

    ell, X = Function(doubling, np.array), normal(0, *SHAPE)
    np.testing.assert_array_equal(ell.value_and_grad(X)[1], normal(0, *SHAPE))
