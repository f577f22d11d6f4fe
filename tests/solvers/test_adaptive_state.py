"""The state of the default method is plain data: written out and read back, it makes the same next
steps.
"""

import io
import json
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import LARGE, X0, scaled, steps, with_iterate
from orthoprox import stiefel
from orthoprox._adaptive.settings import SETTINGS, Settings
from orthoprox.solvers import Adaptive

AHEAD = 5  # steps to compare
PLAIN = bool, int, float, str, type(None)


# --- a writer and a reader that know nothing but the import paths of dataclasses ---


def pack(value, arrays):
    """The value as JSON takes it; arrays go to a list, in place of which their numbers stand."""
    if is_dataclass(value) and not isinstance(value, type):
        kind, entries = type(value), {field.name: pack(getattr(value, field.name), arrays) for field in fields(value)}
        return {"type": [kind.__module__, kind.__qualname__], "fields": entries}
    if isinstance(value, tuple):
        return {"tuple": [pack(entry, arrays) for entry in value]}
    if isinstance(value, (np.ndarray, np.generic)):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    assert type(value) in PLAIN, f"{value!r} is a {type(value)}"
    return value


def unpack(value, arrays):
    """What was packed."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[f"arr_{value['array']}"][()]
    if "tuple" in value:
        return tuple(unpack(entry, arrays) for entry in value["tuple"])
    module, name = value["type"]
    return getattr(import_module(module), name)(**{key: unpack(entry, arrays) for key, entry in value["fields"].items()})


def restored(state):
    """The state, written to bytes and read back."""
    arrays, file = [], io.BytesIO()
    text = json.dumps(pack(state, arrays))
    np.savez(file, *arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return unpack(json.loads(text), read)


# --- runs ---


def started(problem, X, **settings):
    solver = replace(LARGE, settings=replace(SETTINGS, **settings))
    return solver, problem, solver.init(problem, X)


def small():
    return started(scaled(1.0)["sparse_pca"], X0)


def large(**settings):
    """With epochs on working sets, and a polish."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)
    return started(problem, op.starts.coordinates(problem, np.random.default_rng(0)), **settings)


def stagnating():
    """With all step rules, and Newton's method."""
    return started(op.problems.compressed_modes(128, 5, 0.1), stiefel.random_point(128, 5, seed=0))


def diverging():
    """With a restart."""
    solver, problem, state = small()
    Y = -100 * np.eye(4)
    return solver, problem, with_iterate(state, Y=Y, EY=X0 @ Y)


def worse():
    """With a descent from the start."""
    solver, problem, state = small()
    return solver, problem, with_iterate(state, memory=replace(state.now.memory, value=-1e9))


def second_order():
    """Of a small problem with a weak penalty."""
    problem, solver = op.Problem(scaled(1.0)["sparse_pca"].smooth, op.nonsmooth.L1(0.01), (30, 4)), Adaptive()
    return solver, problem, solver.init(problem, X0)


def hasty():
    """Of a small problem that stagnates."""
    problem, solver = op.problems.compressed_modes(256, 4, 0.1), Adaptive()
    return solver, problem, solver.init(problem, op.starts.smoothed(problem, np.random.default_rng(0)))


def single():
    """In float32."""
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 30, seed=1).astype(np.float32), 4, 0.3)
    return started(problem, X0.astype(np.float32))


RUNS = {
    "small": (small, 60, {"first order"}),
    "large": (large, 60, {"first order", "polish", "late first order"}),
    "large, refused": (lambda: large(polish=0), 60, {"first order", "polish"}),
    "stagnating": (stagnating, 1500, {"first order", "smoothing Newton", "late first order"}),
    "smooth": (lambda: started(scaled(1.0)["smooth"], X0), 30, {"descent"}),
    "diverging": (diverging, 60, {"first order"}),
    "worse": (worse, 120, {"first order", "descent"}),
    "rows": (lambda: started(scaled(1.0)["rows"], X0), 60, {"first order"}),
    "second order": (second_order, 120, {"proximal Newton", "small polish"}),
    "hasty": (hasty, 400, {"small first order", "proximal Newton"}),
    "single precision": (single, 60, {"first order"}),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_state_that_is_written_and_read_makes_the_same_next_steps(name):
    """X, the multiplier, the parameters and the phase, bit for bit, from states all along a run and
    around each change of the phase. Every leaf is an array, a number, a string, a flag or None.
    """
    make, iterations, phases = RUNS[name]
    solver, problem, first = make()
    states = [first, *steps(solver, problem, first, iterations + AHEAD)]
    assert {state.phase for state in states} >= phases
    for state in states:
        pack(state, [])
    changes = [j for j, (old, new) in enumerate(pairwise(states)) if old.phase != new.phase]
    looks = {0, 1, *range(3, iterations, max(7, iterations // 20)), *changes, *(j + 1 for j in changes)}
    for j in sorted(looks & set(range(iterations))):
        for expected, found in zip(states[j + 1 :], steps(solver, problem, restored(states[j]), AHEAD), strict=False):
            assert found.phase == expected.phase
            np.testing.assert_array_equal(solver.output(found), solver.output(expected), err_msg=f"after {j}")
            np.testing.assert_array_equal(solver.multiplier(found), solver.multiplier(expected), err_msg=f"after {j}")
            assert equal(solver.parameters(found), solver.parameters(expected))


def equal(one, other):
    """Whether two sets of parameters agree; what is not known is NaN in both."""
    return one.keys() == other.keys() and np.array_equal([*one.values()], [*other.values()], equal_nan=True)


def test_the_runs_have_epochs_divergences_and_steps_back():
    """What the states above are meant to contain is there."""
    solver, problem, first = large()
    iterations = [state.now.monitor.iterations for state in steps(solver, problem, first, 60) if state.phase == "first order"]
    assert max(np.diff(iterations)) > 1
    solver, problem, first = diverging()
    assert steps(solver, problem, first, 5)[-1].now.memory.divergences == 1
    solver, problem, first = large(polish=0)
    phases = [state.phase for state in steps(solver, problem, first, 60)]
    assert ("polish", "first order") in set(pairwise(phases))


@dataclass(frozen=True)
class Planted:
    """A dataclass with something inside."""

    inside: object


@pytest.mark.parametrize("what", [lambda X: X, scaled(1.0)["smooth"], Adaptive, [1.0], {"a": 1}, {1.0}])
def test_what_is_not_plain_is_found(what):
    """A function, a problem, a class, or what can be changed."""
    with pytest.raises(AssertionError, match=r"is a <class"):
        pack((1.0, Planted(what)), [])


def test_what_is_read_is_what_was_written():
    """With all kinds of leaves, also those that JSON does not know by itself."""
    value = (1, 2.5, float("inf"), None, True, "three", np.float32(0.1), np.asfortranarray(np.eye(3, 2)), (), (1.0, (2,)))
    found = restored((*value, Settings(inertia=0.5)))
    assert found[-1] == Settings(inertia=0.5)
    for one, other in zip(found, value, strict=False):
        assert type(one) is type(other)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
