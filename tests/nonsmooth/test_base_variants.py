"""All nonsmooth terms: the same term on some entries, and with another weight."""

import numpy as np
import pytest

from cases import NONSMOOTH, SHAPE, normal
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth import Separable
from orthoprox.nonsmooth.base import HasWeight

ENTRIES = PackedEntries(normal(1, *SHAPE) > 0)
PACKED = [name for name, g in NONSMOOTH.items() if isinstance(g, Separable) and g.at(ENTRIES) is not None]
WEIGHTED = [name for name, g in NONSMOOTH.items() if isinstance(g, HasWeight)]


@pytest.mark.parametrize("name", PACKED)
def test_on_some_entries_a_term_is_what_it_is_on_all(name):
    """Prox and subdifferential of the packed entries are the entries of the whole prox and
    subdifferential.
    """
    g, X, t = NONSMOOTH[name], normal(2, *SHAPE), 0.3
    part, x = g.at(ENTRIES), ENTRIES.take(X)
    np.testing.assert_array_equal(part.prox(x, t), ENTRIES.take(g.prox(X, t)))
    P = g.prox(X, t)
    for mine, whole in zip(part.interval(ENTRIES.take(P)), g.interval(P), strict=True):
        np.testing.assert_array_equal(np.broadcast_to(mine, x.shape), ENTRIES.take(np.broadcast_to(whole, SHAPE)))


@pytest.mark.parametrize("name", WEIGHTED)
def test_with_its_own_weight_a_term_is_itself_and_its_value_grows_with_the_weight(name):
    g, X = NONSMOOTH[name], NONSMOOTH[name].prox(normal(3, *SHAPE), 0.3)
    same, heavier = g.weighted(g.mu), g.weighted(2 * g.mu)
    assert type(same) is type(g)
    assert same.value(X) == g.value(X)
    np.testing.assert_array_equal(same.prox(X, 0.3), g.prox(X, 0.3))
    assert heavier.value(X) > g.value(X)


def test_there_are_terms_of_both_kinds():
    assert {"L1", "MCP", "SCAD", "Box entrywise"} <= set(PACKED)
    assert {"L1 bounded", "L21", "MCP", "SCAD"} <= set(WEIGHTED)
