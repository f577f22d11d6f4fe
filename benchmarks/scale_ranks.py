"""What communication costs: a gradient that goes through all data, on two ranks of MPI and in two
processes that do not communicate. A part of ``benchmarks/scale.py``.

The ranks evaluate their own rows with and without the exchange in turn, so that both see the same
machine; a round takes as long as the slower rank. Two processes without MPI, which begin together,
show whether MPI itself costs anything.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import orthoprox as op

ROOT = Path(__file__).parents[1]
ROUNDS = 10
Shape = tuple[int, int, int]  # p, m, n without a Gram matrix


def compared(shape: Shape) -> dict[str, Any]:
    """Return the seconds of a gradient in two processes and on two ranks, and of the exchange."""
    row: dict[str, Any] = {"case": "two ranks", "shape": list(shape), "processes": processes(shape), **on_ranks(shape)}
    row["apart"], row["together"] = (median(row["rounds"][name]) for name in ("apart", "together"))
    pairs = zip(row["rounds"]["apart"], row["rounds"]["together"], strict=True)
    row["speeds"] = [apart / together for apart, together in pairs]
    row["speed"], row["share"] = median(row["speeds"]), row["exchange"] / row["together"]
    return row


def on_ranks(shape: Shape) -> dict[str, Any]:
    """Return what rank 0 of two reports."""
    mpirun = str(Path(sys.executable).parent / "mpirun")
    start = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "2", *_this("rank", shape)]
    done = subprocess.run(start, env=_environment(), stdout=subprocess.PIPE, check=True, cwd=ROOT)
    [found] = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    return dict(found)


def processes(shape: Shape) -> float:
    """Return the seconds of a gradient in two processes, which begin when both have their rows: of
    a round those of the slower one.
    """
    pair = [
        subprocess.Popen(
            _this("alone", shape), env={**_environment(), "RANK": str(rank)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for rank in range(2)
    ]  # fmt: skip
    for process in pair:
        if process.stdout is None or process.stdout.readline().strip() != "ready":
            raise RuntimeError("A process without MPI has ended before it had its rows.")
    for process in pair:
        if process.stdin is not None:
            process.stdin.write("go\n")
            process.stdin.flush()
    rounds = [json.loads(process.communicate()[0])["rounds"] for process in pair]
    return median(map(max, *rounds))


def own(shape: Shape, rank: int) -> tuple[Any, Any]:
    """Return the term of one of two ranks and a point."""
    p, m, n = shape
    A = np.random.default_rng(rank).standard_normal((p // 2, m))
    return op.smooth.LogCosh(A), op.stiefel.random_point(m, n, seed=0)


def alone(shape: Shape) -> dict[str, Any]:
    """Return the seconds of gradients, beside another process that does the same."""
    term, X = own(shape, int(os.environ["RANK"]))
    term.value_and_grad(X)
    print("ready", flush=True)
    sys.stdin.readline()
    return {"rounds": [_seconds(lambda: term.value_and_grad(X)) for _ in range(ROUNDS)]}


def rank(shape: Shape) -> dict[str, Any] | None:
    """Return the seconds of each round, of the slower rank, without and with the exchange, and the
    seconds of an exchange alone; None on other ranks than the first.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    term, X = own(shape, comm.rank)
    shared = op.smooth.Sharded(term, comm)
    kinds = {"apart": term.value_and_grad, "together": shared.value_and_grad}
    rounds: dict[str, list[float]] = {name: [] for name in kinds}
    shared.value_and_grad(X)
    for number in range(ROUNDS):
        for name in sorted(kinds, reverse=number % 2 == 1):  # each comes first as often
            comm.Barrier()
            rounds[name].append(max(comm.allgather(_seconds(lambda name=name: kinds[name](X)))))
    D = np.zeros(X.size + 1)
    comm.Barrier()
    exchange = median(_seconds(lambda: shared.ranks.sum("adds", X, lambda: D)) for _ in range(10 * ROUNDS))
    return {"rounds": rounds, "exchange": exchange} if comm.rank == 0 else None


def _seconds(function: Any) -> float:
    began = perf_counter()
    function()
    return perf_counter() - began


def _this(role: str, shape: Shape) -> list[str]:
    return [sys.executable, "-m", "benchmarks.scale_ranks", role, json.dumps(shape)]


def _environment() -> dict[str, str]:
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


if __name__ == "__main__":
    result = {"alone": alone, "rank": rank}[sys.argv[1]](json.loads(sys.argv[2]))
    if result is not None:
        print(json.dumps(result), flush=True)
