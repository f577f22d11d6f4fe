"""Bounds of what components on supports explain, beside supports that are refitted."""

from itertools import combinations, product

import numpy as np
import pytest
from benchmarks.support_bounds import angle_bound, group_supports

from orthoprox.estimators.face import Face


def covariance(m, seed):
    A = np.random.default_rng(seed).standard_normal((m, m + 3))
    return A @ A.T / m


def listed(r, p, shared):
    """All supports of p columns on r variables, by brute force, as sets of sets."""
    found = set()
    for sets in product(range(1, 1 << r), repeat=p):
        union, total = 0, sum(s.bit_count() for s in sets)
        for s in sets:
            union |= s
        overlaps = [(a & b).bit_count() for a, b in combinations(sets, 2)]
        linked = sum(number > 0 for number in overlaps) >= p - 1
        if union == (1 << r) - 1 and total == r + shared and 1 not in overlaps and linked:
            found.add(tuple(sorted(sets)))
    return found


@pytest.mark.parametrize(("r", "p", "shared"), [(4, 2, 2), (5, 2, 3), (5, 3, 4), (5, 3, 5)])
def test_the_supports_of_a_group_are_all_that_may_be_orthogonal(r, p, shared):
    found = {tuple(sorted(sets)) for sets in group_supports(r, p, shared, 10**6).tolist()}
    for sets in listed(r, p, shared) - found:  # three columns that share the same two variables alone
        a, b, c = (x & y for x, y in combinations(sets, 2))
        assert a == b == c
        assert a.bit_count() == 2
    assert found <= listed(r, p, shared)


def test_too_many_supports_are_not_listed():
    assert group_supports(5, 2, 2, 10) is None


@pytest.mark.parametrize("seed", range(5))
def test_angles_bound_what_newton_finds(seed):
    """And no more than by rounding, if what is looked for is just below."""
    C, rng = covariance(6, seed), np.random.default_rng(seed)
    mask = np.array([[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1]], dtype=bool).T
    face = Face(C, mask)
    found = [face.refit(np.where(mask, rng.standard_normal(mask.shape), 0.0)) for _ in range(20)]
    best = max(face.value(X) for X in found if X is not None)
    assert angle_bound(C, mask, 0.9 * best) >= best * (1 - 1e-9)
    assert angle_bound(C, mask, best * (1 + 1e-4)) == best * (1 + 1e-4)  # nothing is above


def test_other_overlaps_have_no_bound_by_angles():
    mask = np.ones((3, 2), dtype=bool)
    assert angle_bound(covariance(3, 0), mask, 1.0) == np.inf
