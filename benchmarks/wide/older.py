"""The default call of an older commit on some of the cases, with a limit of time.

    python -m benchmarks.wide.older FILE SECONDS

This answers one file of arrays A, n and mu with whatever orthoprox the process has: beside it come
answer.npz with X and answer.json with the rest. ``compared`` has an environment of the older commit
do it.
"""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from benchmarks.calibration import unit

ROOT = Path(__file__).parents[2]


def compared(chosen: Any, commit: str, seconds: float) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield cases, each with a row of the older commit; sparse data are centred and dense there."""
    from benchmarks.peers.run import ONE_THREAD
    from benchmarks.suite.before import python
    from benchmarks.wide.cases import value

    surroundings = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"} | ONE_THREAD
    for case in chosen:
        A = case.data()[0]
        problem = case.problem(A)
        if case.kind == "counts":
            A = A.toarray()
            A -= A.mean(axis=0)
        with TemporaryDirectory() as name:
            file = Path(name) / "task.npz"
            np.savez(file, A=A, n=case.options["n"], mu=case.options["mu"])
            command = [str(python(commit)), "-m", "benchmarks.wide.older", str(file), str(seconds)]
            subprocess.run(command, cwd=ROOT, check=True, env=surroundings)
            row = json.loads(file.with_name("answer.json").read_text(encoding="utf-8"))
            with np.load(file.with_name("answer.npz")) as arrays:
                yield case, {"part": case.part, "objective": value(problem, arrays["X"]), **row}


def main(file: Path, seconds: float) -> None:
    """Answer a file."""
    import orthoprox as op

    with np.load(file) as arrays:
        problem = op.problems.sparse_pca(arrays["A"], int(arrays["n"]), float(arrays["mu"]))
    small = op.problems.sparse_pca(np.random.default_rng(0).standard_normal((60, 60)), 6, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        op.minimize(small)  # pays for what is loaded at the first use
        one, began = unit(), process_time()
        result = op.minimize(problem, max_seconds=seconds)
    row = {"units": (process_time() - began) / one, "status": result.status.name}
    np.savez(file.with_name("answer.npz"), X=np.asarray(result.X))
    file.with_name("answer.json").write_text(json.dumps(row), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
