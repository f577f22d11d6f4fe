"""Tables that ``orthoprox spca`` reads in blocks of rows, alone and on the ranks of mpirun."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from orthoprox.cli import blocks
from orthoprox.cli.__main__ import main as cli
from row_sources import KINDS, PACKAGES
from started import mpirun

pytest.importorskip("sklearn")
RNG = np.random.default_rng(0)
A = np.round(8 * RNG.standard_normal((60, 6)) @ RNG.standard_normal((6, 6))) / 8
A[:, 3] = 2.0
FILES = [kind for kind, given in KINDS.items() if given.file is not None]
ORTHOPROX = Path(sys.executable).parent / "orthoprox"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(kind, folder):
    for package in PACKAGES.get(KINDS[kind].extra, ()):
        pytest.importorskip(package)
    return KINDS[kind].file(A, folder)


def numbers(path):
    with open(path, newline="", encoding="utf-8") as file:
        return np.array([row[1:] for row in list(csv.reader(file))[1:]], dtype=float)


def same_results(one, other):
    for name in ("loadings.csv", "scores.csv"):
        np.testing.assert_allclose(numbers(f"{one}/{name}"), numbers(f"{other}/{name}"), atol=1e-9)


@pytest.mark.parametrize("kind", FILES)
def test_blocks_give_what_the_whole_table_gives(kind, folder, monkeypatch):
    file = made(kind, folder)
    command = ["spca", str(file), "-n", "2", "--nonzeros", "6", "--quiet", "--out"]
    assert cli([*command, "whole"]) == 0
    monkeypatch.setattr(blocks, "LARGE", 0)
    assert cli([*command, "blocks"]) == 0
    same_results("whole", "blocks")
    told = json.loads(Path("blocks/result.json").read_text())
    assert any("read in blocks" in note for note in told["notes"]) == (kind != "file csv")
    assert any("1 constant column is set aside: 'x3'." in note for note in told["notes"])
    assert told["rows"] == 60


def test_long_tables_have_no_scores(folder, monkeypatch):
    monkeypatch.setattr(blocks, "LARGE", 0)
    monkeypatch.setattr(blocks, "SCORED", 59)
    assert cli(["spca", str(made("file npy", folder)), "-n", "2", "--quiet", "--out", "out"]) == 0
    assert not Path("out/scores.csv").exists()
    assert any("60 rows are more than 59" in note for note in json.loads(Path("out/result.json").read_text())["notes"])


def test_a_bad_entry_is_one_line_with_block_and_row(folder, monkeypatch, capsys):
    monkeypatch.setattr(blocks, "LARGE", 0)
    spoiled = A.copy()
    spoiled[44, 1] = np.nan
    np.save("spoiled.npy", spoiled)
    assert cli(["spca", "spoiled.npy"]) == 2
    assert "block 0 contains NaN or infinite entries, the first in row 44" in capsys.readouterr().err
    np.save("constant.npy", np.ones((9, 3)))
    assert cli(["spca", "constant.npy"]) == 2
    assert "all columns are constant" in capsys.readouterr().err


@pytest.mark.extended
@pytest.mark.parametrize("kind", FILES)
def test_ranks_read_their_own_rows(kind, folder):
    file = made(kind, folder)
    command = ["spca", file, "-n", "2", "--nonzeros", "6", "--quiet", "--out"]
    done = mpirun(2, ORTHOPROX, *command, "ranks")
    if not KINDS[kind].ranks:
        assert done.returncode == 2
        assert done.stderr.count("no process can find its own rows without reading all before them") == 2
        return
    assert done.returncode == 0, done.stderr
    assert cli([*map(str, command), "whole"]) == 0
    same_results("whole", "ranks")


@pytest.mark.extended
def test_an_error_of_one_rank_is_told_by_all(folder):
    spoiled = A.copy()
    spoiled[44, 1] = np.nan
    np.save("spoiled.npy", spoiled)
    done = mpirun(4, ORTHOPROX, "spca", "spoiled.npy")
    assert done.returncode == 2
    assert done.stderr.count("rank 2: ValueError: 'spoiled.npy', block 0 contains NaN") == 4
    np.save("constant.npy", np.ones((9, 3)))
    done = mpirun(2, ORTHOPROX, "spca", "constant.npy")
    assert (done.returncode, done.stderr.count("all columns are constant")) == (2, 2)
    done = mpirun(2, ORTHOPROX, "spca", made("file npy", folder), "-n", "50")
    assert done.returncode == 2
    assert "-n is 50, but there are 5 variables" in done.stderr
