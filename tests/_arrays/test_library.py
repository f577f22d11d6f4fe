"""The adapter between array libraries."""

import array_api_strict as strict
import numpy as np
import pytest

from cases import normal
from orthoprox._arrays.library import from_numpy, identity, is_array, namespace, precision, to_numpy


@pytest.mark.parametrize("xp", [np, strict], ids=["numpy", "strict"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_travel_to_and_from_numpy(xp, dtype):
    """to_numpy and from_numpy are inverse to each other; precision and identity follow dtype and
    library.
    """
    X = xp.asarray(normal(0, 3, 2), dtype=getattr(xp, dtype))
    assert is_array(X)
    assert not is_array([[1.0]])
    there = to_numpy(X)
    assert type(there) is np.ndarray
    back = from_numpy(there, like=X)
    assert type(back) is type(X)
    assert back.dtype == X.dtype
    np.testing.assert_array_equal(to_numpy(back), there)
    assert precision(X) == np.finfo(dtype).eps
    assert identity(2, X).dtype == X.dtype
    assert namespace(identity(2, X)) is namespace(X)
