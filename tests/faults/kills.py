"""Processes that are killed at random moments, and resumed until they end."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parents[1]


@dataclass
class Account:
    """What came of the kills of one mode."""

    mode: str
    kills: int = 0
    while_writing: int = 0  # kills that left a half-written file beside the checkpoint
    ends: int = 0  # how often the computation came to its end, resumed or not
    resumed: int = 0  # processes that found a checkpoint
    same: int = 0  # ends with the same bits as a computation that nobody killed


def started(mode, folder):
    """Return a process that has begun to compute."""
    process = subprocess.Popen(
        [sys.executable, "-m", "faults.modes", mode, folder / "run.npz", folder / "X.npy"],
        cwd=HERE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(HERE)},
    )
    assert process.stdout.readline() == b"ready\n"
    return process


def kill(process):
    """End a process at once, as the system does when memory is short."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def drafts(folder):
    return [name for name in os.listdir(folder) if name.startswith(".run.npz")]


def killed(mode, number, folder, seed=0):
    """Kill a mode so many times, at random moments, and compare each end with one in peace."""
    rng, account = random.Random(f"{mode} {seed}"), Account(mode)
    began = time.perf_counter()
    process = started(mode, folder)
    assert process.wait() == 0
    process.stdout.close()
    took, expected = time.perf_counter() - began, np.load(folder / "X.npy")
    while account.kills < number or account.ends == 0:
        for name in os.listdir(folder):
            os.remove(folder / name)
        while True:
            account.resumed += (folder / "run.npz").exists()  # its last owner may have been killed at any moment
            process = started(mode, folder)
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0, 0.6 * took) if account.kills < number else None)
            if process.poll() is None:
                account.kills += 1
                kill(process)
                account.while_writing += bool(drafts(folder))
                continue
            assert process.returncode == 0, f"{mode} failed after {account.kills} kills"
            process.stdout.close()
            account.ends += 1
            account.same += np.array_equal(np.load(folder / "X.npy"), expected)
            assert sorted(os.listdir(folder)) == ["X.npy", "run.npz"], os.listdir(folder)
            break
    return account
