"""Runs cases in processes of their own and makes their rows."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from benchmarks.peers.run import ONE_THREAD
from benchmarks.studies.task import Row
from benchmarks.suite.cases import Case

import orthoprox as op

ROOT = Path(__file__).parents[2]
TOGETHER = 18  # calls between two calibration loops, at the most


@dataclass(frozen=True)
class Way:
    """How the calls are made."""

    interpreter: Path = Path(sys.executable)
    repeat: int = 1
    numba: bool = True
    fresh: bool = False  # a process for each call, without any cache of compiled code
    thorough: bool = False  # with effort="thorough"


def batches(chosen: Sequence[Case], way: Way) -> Iterator[list[Case]]:
    """Yield cases that share a process."""
    size = 1 if way.fresh else TOGETHER
    for _, group in groupby(chosen, key=lambda case: case.group):
        own = list(group)
        yield from (own[k : k + size] for k in range(0, len(own), size))


def perform(batch: Sequence[Case], way: Way) -> list[Row]:
    """Return the row of each case: times in seconds and in units, the objective at the nearest
    feasible point, and what the result says.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        for k, case in enumerate(batch):
            np.savez(folder / f"{k}.npz", **case.make())
        cache = {"NUMBA_CACHE_DIR": str(folder / "cache")} if way.fresh else {}
        options = {"--without-numba": not way.numba, "--fresh": way.fresh, "--thorough": way.thorough}
        chosen = [option for option, wanted in options.items() if wanted]
        command = [str(way.interpreter), "-m", "benchmarks.suite.call", name, str(way.repeat), *chosen]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | ONE_THREAD | cache)
        if done.returncode:
            raise RuntimeError(f"The calls of {batch[0].group} failed:\n{done.stderr}")
        return [_row(case, folder / f"{k}.answer") for k, case in enumerate(batch)]


def _row(case: Case, answer: Path) -> Row:
    row = json.loads(answer.with_name(f"{answer.name}.json").read_text(encoding="utf-8"))
    with np.load(answer.with_name(f"{answer.name}.npz")) as arrays:
        X = arrays["X"]
    return {
        "parts": list(case.parts),
        "start": "auto" if case.kind != "modes" or case.seed is None else "random",
        "units": row["cpu_seconds"] / row["unit"],
        "objective": objective(case, X),
        "converged": row["status"] == "CONVERGED",
        **row,
    }


def objective(case: Case, X: np.ndarray) -> float:
    """Return f at the nearest point with X'X = I."""
    return float(case.problem().value(op.stiefel.polar(X)))
