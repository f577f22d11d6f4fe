"""Data larger than memory and on several ranks: what a pass costs beside reading and beside bare
products, and what communication costs. ``make bench-scale`` writes docs/scale/rows.json, from which
``python -m benchmarks.scale --page`` fills the tables of docs/scale.md.

Files of 10 GB are made in a temporary folder and deleted in the end.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.calibration import unit
from benchmarks.studies.page import fill

import orthoprox as op

ROOT = Path(__file__).parents[1]
ROWS, PAGE = ROOT / "docs" / "scale" / "rows.json", ROOT / "docs" / "scale.md"
TALL = 5_000_000, 500
COUNTS, DENSITY = (1_000_000, 2_000), 0.05
RANKS = 200_000, 2_000, 20  # p, m, n without a Gram matrix
BLOCK = 16_384  # rows of a block that is generated or multiplied
GRADIENTS = 5


class Memory:
    """The largest anonymous memory of this process while a block lasts, in GB."""

    def __enter__(self) -> "Memory":
        self.largest, self._going = 0.0, True
        self._thread = Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._going = False
        self._thread.join()

    def _watch(self) -> None:
        while self._going:
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("RssAnon"):
                    self.largest = max(self.largest, int(line.split()[1]) / 1e6)
            sleep(0.05)


def timed(function: Any) -> tuple[float, float, Any]:
    """Return wall and processor seconds, and what the function returns."""
    began, cpu = perf_counter(), process_time()
    found = function()
    return perf_counter() - began, process_time() - cpu, found


def blocks(p: int) -> Iterator[slice]:
    """Yield the rows of the blocks."""
    for start in range(0, p, BLOCK):
        yield slice(start, min(start + BLOCK, p))


def write_tall(path: Path, shape: tuple[int, int]) -> None:
    """Write random rows of single precision: blocks of one random block, shifted and scaled."""
    rng = np.random.default_rng(0)
    rows, base = np.memmap(path, np.float32, "w+", shape=shape), rng.standard_normal((BLOCK, shape[1]), dtype=np.float32)
    for number, part in enumerate(blocks(shape[0])):
        rows[part] = base[: part.stop - part.start] * np.float32(1 + number % 7) + np.float32(3)
    rows.flush()


def drop_cache(path: Path) -> bool:
    """Let the system forget the pages of a file, and return whether it could be asked."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


def read_once(path: Path) -> int:
    """Read the file with plain reads of 64 MiB, and return its size."""
    size = 0
    place = bytearray(2**26)
    with open(path, "rb", buffering=0) as file:
        while number := file.readinto(place):
            size += number
    return size


def bare_products(shape: tuple[int, int]) -> None:
    """Multiply as many blocks that are in memory, in double precision."""
    D = np.random.default_rng(0).standard_normal((BLOCK, shape[1]))
    C = np.zeros((shape[1], shape[1]))
    for part in blocks(shape[0]):
        C += D[: part.stop - part.start].T @ D[: part.stop - part.start]


def tall(folder: Path, shape: tuple[int, int]) -> dict[str, Any]:
    """Return the cost of the pass over a memory map, of reading it and of bare products."""
    path = folder / "rows.bin"
    write_tall(path, shape)
    row: dict[str, Any] = {"case": "memory map", "shape": list(shape), "gigabytes": path.stat().st_size / 1e9}
    for state in ("cold", "warm"):
        if state == "cold":
            drop_cache(path)
        row[f"read {state}"] = timed(lambda: read_once(path))[0]
    row["products"], row["products cpu"] = timed(lambda: bare_products(shape))[:2]
    for state in ("cold", "warm"):
        if state == "cold":
            drop_cache(path)
        rows = np.memmap(path, np.float32, "r", shape=shape)
        with Memory() as memory:
            row[f"pass {state}"], row[f"pass {state} cpu"], ell = timed(lambda rows=rows: op.smooth.Variance(rows, center=True))
        row[f"memory {state}"] = memory.largest
    path.unlink()
    row["mean error"] = float(np.max(np.abs(ell.center - 3)))
    return row


def counts(folder: Path, shape: tuple[int, int]) -> dict[str, Any]:
    """Return the cost of the pass over blocks of sparse counts, which a function makes."""
    rng = np.random.default_rng(0)
    base = sp.random_array((BLOCK, shape[1]), density=DENSITY, rng=rng, format="csr", dtype=np.float64)
    base.data[:] = rng.poisson(2.0, base.nnz) + 1

    def parts() -> Iterator[Any]:
        for part in blocks(shape[0]):
            yield base[: part.stop - part.start]

    def bare() -> None:
        for block in parts():
            block.T @ block

    row: dict[str, Any] = {"case": "sparse counts", "shape": list(shape), "density": DENSITY}
    row["products"], row["products cpu"] = timed(bare)[:2]
    with Memory() as memory:
        row["pass"], row["pass cpu"], _ = timed(lambda: op.smooth.Variance(parts(), center=True, scale=True))
    row["memory"] = memory.largest
    return row


def own(shape: tuple[int, int, int], rank: int, size: int) -> tuple[Any, Any]:
    """Return the term of one rank and a point."""
    p, m, n = shape
    A = np.random.default_rng(rank).standard_normal((p // size, m))
    return op.smooth.LogCosh(A), op.stiefel.random_point(m, n, seed=0)


def alone(shape: tuple[int, int, int]) -> dict[str, float]:
    """Return the seconds of a gradient, beside another process that does the same."""
    term, X = own(shape, int(os.environ["RANK"]), 2)
    term.value_and_grad(X)
    seconds = min(timed(lambda: term.value_and_grad(X))[0] for _ in range(GRADIENTS))
    return {"gradient": seconds}


def ranked(shape: tuple[int, int, int]) -> dict[str, float]:
    """Return the seconds of a gradient of this rank and of the sum over all, and of the sum
    alone.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    term, X = own(shape, comm.rank, comm.size)
    shared = op.smooth.Sharded(term, comm)
    shared.value_and_grad(X)
    seconds = min(timed(lambda: shared.value_and_grad(X))[0] for _ in range(GRADIENTS))
    D = np.zeros(shape[1] * shape[2] + 1)
    comm.Barrier()
    exchange = min(timed(lambda: shared.ranks.sum("adds", X, lambda: D))[0] for _ in range(4 * GRADIENTS))
    return {"gradient": seconds, "exchange": exchange}


def ranks(shape: tuple[int, int, int]) -> dict[str, Any]:
    """Return the speed of two ranks beside that of two processes that do not communicate; both are
    measured twice, in turn.
    """
    this, environment = [sys.executable, "-m", "benchmarks.scale"], {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    size = json.dumps(shape)
    apart, together, exchange = [], [], []
    for _ in range(2):
        pair = [
            subprocess.Popen([*this, "--alone", size], env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE, cwd=ROOT)
            for rank in range(2)
        ]
        apart.append(max(json.loads(process.communicate()[0])["gradient"] for process in pair))
        start = [str(Path(sys.executable).parent / "mpirun"), "--allow-run-as-root", "--oversubscribe", "-n", "2", *this]
        done = subprocess.run([*start, "--ranked", size], env=environment, stdout=subprocess.PIPE, check=True, cwd=ROOT)
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
        together.append(max(one["gradient"] for one in found))
        exchange.append(max(one["exchange"] for one in found))
    row: dict[str, Any] = {"case": "two ranks", "shape": list(shape), "apart": min(apart), "together": min(together)}
    row["exchange"] = min(exchange)
    row["speed"], row["share"] = row["apart"] / row["together"], row["exchange"] / row["together"]
    return row


def rates() -> dict[str, Any]:
    """Return the rates of products, of bare NumPy in one thread, in operations each second."""
    A, X = np.random.default_rng(0).standard_normal((20_000, 1_000)), np.random.default_rng(1).standard_normal((1_000, 20))
    A @ X, A.T @ A
    return {
        "case": "rates",
        "gram": A.shape[0] * A.shape[1] ** 2 / timed(lambda: A.T @ A)[0],
        "products": 2 * A.size * X.shape[1] / timed(lambda: A @ X)[0],
        "unit": unit(),
    }


def page(rows: list[dict[str, Any]]) -> None:
    """Fill the tables of docs/scale.md."""
    from benchmarks.scale_page import tables

    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(rows).items():
        text = fill(text, table, name)
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    """Run the cases, or one part of a case in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("alone", "ranked"):
        parser.add_argument(f"--{name}", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--small", action="store_true", help="a hundredth of the rows, printed and not kept")
    options = parser.parse_args()
    if options.alone or options.ranked:
        print(json.dumps(alone(options.alone) if options.alone else ranked(options.ranked)), flush=True)
        return
    if not options.page:
        part = 100 if options.small else 1
        folder = Path(tempfile.mkdtemp(prefix="orthoprox-scale-"))
        try:
            rows = [{"case": "machine", "cores": os.cpu_count(), "load": os.getloadavg()[0]}, rates()]
            rows.append(tall(folder, (TALL[0] // part, TALL[1])))
            rows.append(counts(folder, (COUNTS[0] // part, COUNTS[1])))
            rows.append(ranks((RANKS[0] // part, *RANKS[1:])))
        finally:
            shutil.rmtree(folder)
        rows.append(
            {"case": "end", "load": os.getloadavg()[0], "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}
        )
        print(json.dumps(rows, indent=1))
        if options.small:
            return
        ROWS.parent.mkdir(exist_ok=True)
        ROWS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    page(json.loads(ROWS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
