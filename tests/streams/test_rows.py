"""Products with a matrix that is read in blocks of rows."""

import numpy as np
import pytest

from cases import normal
from orthoprox.streams import blocks
from orthoprox.streams.rows import RowStream
from orthoprox.streams.sliced import Sliced
from stored import on_disk


def data(size):
    """A data matrix of multiples of 1/8, a third of them zero: exact in every precision."""
    rng = np.random.default_rng(size[0])
    return np.round(16 * rng.standard_normal(size) * (rng.random(size) < 0.7)) / 8


def test_row_stream_is_its_matrix(tmp_path, monkeypatch):
    """A stream multiplies vectors and matrices from both sides as A does, three rows at a time."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 5 * 3)
    A = data((11, 5))
    S = RowStream(Sliced(on_disk(A, tmp_path)))
    for X in (normal(1, 5), normal(1, 5, 2)):
        np.testing.assert_allclose(S @ X, A @ X, atol=1e-13)
    for V in (normal(1, 11), normal(1, 11, 2)):
        np.testing.assert_allclose(S.T @ V, A.T @ V, atol=1e-13)
    np.testing.assert_allclose(S.gram(), A.T @ A, atol=1e-13)
    assert [len(block) for _, block in S.rows.blocks()] == [3, 3, 3, 2]
    with pytest.raises(ValueError, match="two dimensions"):
        Sliced(on_disk(A.ravel(), tmp_path))
