"""``orthoprox spca --checkpoint``: killed, refused and resumed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import orthoprox as op
from orthoprox.cli.__main__ import main as cli

pytest.importorskip("sklearn")
WINE = Path(op.__file__).parent / "datasets" / "wine.csv"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_checkpoint_is_refused_or_resumed(folder, capsys):
    command = ["spca", str(WINE), "-n", "3", "--quiet", "--checkpoint", "run.npz"]
    assert cli(command) == 0
    first = (folder / "wine-spca" / "loadings.csv").read_bytes()
    assert cli([*command, "--force"]) == 2
    assert "resume" in capsys.readouterr().err
    assert cli([*command, "--force", "--resume"]) == 0
    assert (folder / "wine-spca" / "loadings.csv").read_bytes() == first
    assert cli([*command, "--force", "--resume", "--alpha", ".3"]) == 2
    assert "alpha is '0.1' there and '0.3' here" in capsys.readouterr().err
    assert op.SparsePCA.load(folder / "wine-spca" / "model.npz").checkpoint is None


def test_resume_needs_a_checkpoint(capsys):
    assert cli(["spca", str(WINE), "--resume"]) == 2
    assert "no checkpoint to resume from" in capsys.readouterr().err


@pytest.mark.extended
def test_the_same_command_goes_on_after_kills(folder):
    """Three kills, then the end that nobody disturbed has."""
    A = op.datasets.five_components(300, 60, seed=0)
    np.savetxt(folder / "data.csv", A, delimiter=",", header=",".join(f"v{i}" for i in range(60)), comments="")
    command = ["spca", "data.csv", "-n", "8", "--nonzeros", "90", "--checkpoint-every", ".05", "--quiet", "--resume"]
    program = [sys.executable, "-m", "orthoprox.cli", *command]
    kills = 0
    for seconds in (2.0, 2.5, 3.0):
        process = subprocess.Popen([*program, "--checkpoint", "run.npz", "--out", "killed"])
        time.sleep(seconds)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    if kills < 3:
        os.remove("run.npz")
    subprocess.run([*program, "--checkpoint", "run.npz", "--out", "killed", "--force"], check=True)
    subprocess.run([*program, "--checkpoint", "other.npz", "--out", "peace"], check=True)
    killed, peace = ((folder / name / "loadings.csv").read_bytes() for name in ("killed", "peace"))
    assert killed == peace
