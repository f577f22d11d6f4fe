"""A nonsmooth term of two callables."""

import numpy as np
import pytest

from cases import SHAPE, normal
from orthoprox.checks import check_prox
from orthoprox.nonsmooth import MCP, Function


def test_function_wraps_two_callables():
    """Function(fun, prox, modulus) is the term with that value, that prox and that modulus."""
    g, X = MCP(0.5), normal(0, *SHAPE)
    wrapped = Function(g.value, g.prox, modulus=g.modulus)
    assert wrapped.value(X) == g.value(X)
    np.testing.assert_array_equal(wrapped.prox(X, 0.5), g.prox(X, 0.5))
    assert wrapped.modulus == g.modulus
    assert Function(g.value, g.prox).modulus == 0.0
    check_prox(wrapped, X)


@pytest.mark.parametrize("arguments", [(1.0, np.abs), (np.abs, None)])
def test_function_needs_callables(arguments):
    """What is not callable is refused at once, by name."""
    with pytest.raises(TypeError, match="callable"):
        Function(*arguments)
