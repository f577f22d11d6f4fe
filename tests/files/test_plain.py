"""Plain data as nodes and arrays: what is read is what was written."""

import json
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orthoprox as op
from orthoprox.files.plain import Reader, Writer

NUMBERS = st.integers(-(2**80), 2**80) | st.floats() | st.booleans() | st.none() | st.text(max_size=5)
TREES = st.recursive(
    NUMBERS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3) | st.tuples(inner, inner)
    ),
    max_leaves=10,
)


@dataclass(frozen=True)
class Own:
    X: np.ndarray
    more: object = None


Pair = namedtuple("Pair", "first second")


def copied(value, *, modules=(__name__,), **known):
    """The value after a way through JSON and arrays."""
    writer = Writer(known)
    part = writer.add(value)
    reader = Reader(json.loads(json.dumps(writer.nodes, allow_nan=False)), writer.arrays, modules)
    reader.known.update(known)
    return reader.value(part)


@given(TREES)
def test_values_and_types_stay_what_they_are(tree):
    assert repr(copied(tree)) == repr(tree)  # NaN is not equal to itself


@pytest.mark.parametrize("dtype", ["float64", "float32", "bool", "int64", "complex128"])
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_arrays_keep_bits_and_the_order_of_their_axes_in_memory(dtype, axes):
    """Products round differently in another order."""
    X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(dtype).transpose(axes)
    Y = copied(X)
    assert Y.dtype == X.dtype
    assert Y.strides == X.strides
    assert np.array_equal(Y, X)


def test_a_part_of_an_array_is_stored_without_the_rest():
    X = np.arange(24.0).reshape(4, 6)[:, ::2]
    assert np.array_equal(copied(X), X)
    assert copied(np.float32(0.1)) == np.float32(0.1)
    assert type(copied(np.float32(0.1))) is np.float32
    assert copied(np.array(3.0)).shape == ()
    assert copied(np.zeros((0, 3))).shape == (0, 3)


def test_objects_that_were_one_are_one():
    X = np.ones((2, 2))
    state = Own(X, [Own(X), X])
    other = copied(state)
    assert other.X is other.more[0].X is other.more[1]
    assert type(other) is Own


def test_classes_of_the_library_and_of_named_modules_are_made_without_calling_them():
    assert copied(op.Status.TIME) is op.Status.TIME
    assert copied(op.LSALM(rho=2.0)) == op.LSALM(rho=2.0)
    assert copied(Pair(1, 2.5)) == Pair(1, 2.5)
    with pytest.raises(ValueError, match="which this call does not use"):
        copied(Own(np.ones(2)), modules=())


@pytest.mark.parametrize("name", ["orthoprox.files.plain:Writer", "orthoprox.files.archive:write", "os:system"])
def test_a_file_cannot_name_anything_but_plain_data(name):
    with pytest.raises(ValueError, match=r"names no class of plain data|does not use"):
        Reader([["object", name, {}]], {}).value([0])


def test_what_is_known_is_not_written():
    problem, writer = object(), Writer(kinds={"number": complex})
    assert copied((problem, 1), problem=problem) == (problem, 1)
    assert writer.add(1j) == [0]
    assert writer.nodes == [["known", "number"]]
    with pytest.raises(ValueError, match="which this call does not make"):
        Reader(writer.nodes, {}).value([0])


def test_functions_and_cycles_are_refused():
    with pytest.raises(TypeError, match="no plain data"):
        Writer().add({"f": print})
    cycle = []
    cycle.append(cycle)
    with pytest.raises(TypeError, match="contains itself"):
        Writer().add(cycle)
