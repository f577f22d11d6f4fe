"""The walk of a default call: which modules it visits, and on which ways. It stays so short that
one can follow it.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest

import orthoprox as op

SOURCE = Path(op.__file__).parent
MOST = {False: (26, 95), True: (31, 109)}  # modules and ways, without and with compiled loops
PROBLEM = op.problems.sparse_pca(op.datasets.five_components(1000, 100, seed=0), 10, 0.5)


def walk(function):
    """Return how often a function of one module calls one of another, for each pair of modules; the
    function itself is that of a user.
    """
    ways, stack, before = Counter(), ["user"], sys.getprofile()

    def look(frame, event, argument):
        path = frame.f_code.co_filename
        if not path.startswith(str(SOURCE)):
            return
        if event == "call":
            module = ".".join(Path(path).relative_to(SOURCE).with_suffix("").parts)
            ways[stack[-1], module] += 1
            stack.append(module)
        elif event == "return" and len(stack) > 1:
            stack.pop()

    sys.setprofile(look)
    try:
        function()
    finally:
        sys.setprofile(before)
    return {way: number for way, number in ways.items() if way[0] != way[1]}


@pytest.mark.parametrize("compiled", [False, True])
def test_a_default_call_can_be_followed(compiled):
    if compiled:
        pytest.importorskip("numba")
    op.minimize(PROBLEM, compiled=compiled)  # what is loaded at the first use is no part of the walk
    ways = walk(lambda: op.minimize(PROBLEM, compiled=compiled))
    modules, (most_modules, most_ways) = {module for _, module in ways}, MOST[compiled]
    assert len(modules) <= most_modules, sorted(modules)
    assert len(ways) <= most_ways, sorted(ways)


def test_the_walk_is_that_of_the_calls():
    """A value takes the problem to its terms, and these to the products with their data."""
    ways = walk(lambda: PROBLEM.value(op.stiefel.random_point(100, 10)))
    assert ways["user", "problems.problem"] == 1
    assert ways["problems.problem", "smooth.variance"] == ways["problems.problem", "nonsmooth.separable"] == 1
    assert ways["smooth.variance", "_linalg.products"] == 1
    assert ("problems.problem", "_linalg.products") not in ways
