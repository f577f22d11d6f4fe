"""The command that compiles loops."""

import subprocess
import sys

import pytest

from orthoprox._adaptive import kept
from orthoprox.cli.__main__ import main as cli

USED = """
import orthoprox as op, numpy as np
print(op.minimize(op.problems.sparse_pca(np.random.default_rng(0).standard_normal((40, 13)), 3, 3.0)).compiled)
"""


@pytest.mark.slow
def test_what_is_compiled_is_used_from_the_first_call_of_the_next_process(tmp_path, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("ORTHOPROX_COMPILED", "")

    def output(*arguments):
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout

    assert output("-c", USED) == "False\n"
    assert not kept.is_kept()
    told = output("-m", "orthoprox.cli", "compile").splitlines()
    assert told[0].startswith(f"small problems: 2 loops, 2 compiled now, kept in {tmp_path}")
    assert told[1].startswith("large sparse X: 9 loops, 9 compiled now, kept in ")
    assert kept.is_kept()
    assert output("-c", USED) == "True\n"
    assert "0 compiled now" in output("-m", "orthoprox.cli", "compile")
    for index in tmp_path.rglob("newton_loop*.nbi"):
        index.write_bytes(index.read_bytes()[50:])  # of another version
    assert not kept.is_kept()


def test_without_numba_the_fix_is_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert cli(["compile"]) == 2
    assert capsys.readouterr().err == 'orthoprox: numba is not installed; install it with pip install "orthoprox[fast]".\n'
