"""Processes that tests start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def mpirun(size, *command, seconds=60):
    """Run a command on so many ranks, also as root and on fewer cores."""
    pytest.importorskip("mpi4py")
    start = Path(sys.executable).parent / "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", size
    waiting = {"OMPI_MCA_mpi_yield_when_idle": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": Path(__file__).parent}
    environment = {**os.environ, **{name: str(value) for name, value in waiting.items()}}
    given = [str(word) for word in (*start, *command)]
    return subprocess.run(given, capture_output=True, text=True, timeout=seconds, env=environment, check=False)
