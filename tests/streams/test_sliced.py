"""Rows of a memory map: the system is asked for the next block while one is used."""

import os
import tempfile

import numpy as np
import pytest

from cases import normal
from orthoprox.streams import blocks
from orthoprox.streams.sliced import Sliced

A = normal(0, 50, 4)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 4 * 16)  # 16 rows


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="The system takes no advice.")
def test_the_next_block_is_asked_for(tmp_path, monkeypatch, small_blocks):
    asked, file = [], tmp_path / "rows.bin"
    file.write_bytes(bytes(24) + A.tobytes())
    values = np.memmap(file, np.float64, "r", offset=24, shape=A.shape)
    monkeypatch.setattr(os, "posix_fadvise", lambda fd, *given: asked.append(given))
    assert [len(rows) for rows in Sliced(values).read()] == [16, 16, 16, 2]
    assert asked == [(24 + 32 * start, 32 * 16, os.POSIX_FADV_WILLNEED) for start in (16, 32, 48, 50)]
    np.testing.assert_array_equal(np.concatenate(list(Sliced(values).read())), A)


def test_a_map_without_a_name_is_read_as_well(small_blocks):
    with tempfile.TemporaryFile() as file:
        file.write(A.tobytes())
        file.flush()
        values = np.memmap(file, np.float64, "r", shape=A.shape)
        np.testing.assert_array_equal(np.concatenate(list(Sliced(values).read())), A)


def test_rows_in_another_order_are_read_without_asking(tmp_path, small_blocks):
    values = np.memmap(tmp_path / "rows.bin", np.float64, "w+", shape=A.shape)
    values[:] = A
    np.testing.assert_array_equal(np.concatenate(list(Sliced(values[::-1]).read())), A[::-1])


def test_a_map_whose_file_has_gone_is_read_as_well(tmp_path, small_blocks):
    values = np.memmap(tmp_path / "rows.bin", np.float64, "w+", shape=A.shape)
    values[:] = A
    (tmp_path / "rows.bin").unlink()
    np.testing.assert_array_equal(np.concatenate(list(Sliced(values).read())), A)
