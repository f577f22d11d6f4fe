"""Data larger than memory and on several ranks: what a pass costs beside reading and beside bare
products, and what communication costs. ``make bench-scale`` writes docs/scale/rows.json, from which
``python -m benchmarks.scale --page`` fills the tables of docs/scale.md.

Reading, products and the pass are measured in turn, ``ROUNDS`` times; a ratio is of one round.

Files of 10 GB are made in a temporary folder and deleted in the end.
"""

import argparse
import ctypes
import gc
import json
import mmap
import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.calibration import unit
from benchmarks.scale_page import tables
from benchmarks.scale_ranks import compared
from benchmarks.studies.page import fill

import orthoprox as op
from orthoprox.streams.blocks import BLOCK_BYTES

ROOT = Path(__file__).parents[1]
ROWS, PAGE = ROOT / "docs" / "scale" / "rows.json", ROOT / "docs" / "scale.md"
TALL = 5_000_000, 500
COUNTS, DENSITY = (1_000_000, 2_000), 0.05
RANKS = 200_000, 2_000, 20  # p, m, n without a Gram matrix
BLOCK = 16_384  # rows of a block that is generated
ROUNDS = 3


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


def blocks(p: int, rows: int = BLOCK) -> Iterator[slice]:
    """Yield the rows of the blocks."""
    for start in range(0, p, rows):
        yield slice(start, min(start + rows, p))


def write_tall(path: Path, shape: tuple[int, int]) -> Any:
    """Write random rows of single precision: blocks of one random block, shifted and scaled. Return
    the means of the columns.
    """
    rng = np.random.default_rng(0)
    rows, base = np.memmap(path, np.float32, "w+", shape=shape), rng.standard_normal((BLOCK, shape[1]), dtype=np.float32)
    sums = np.zeros(shape[1])
    for number, part in enumerate(blocks(shape[0])):
        block = base[: part.stop - part.start] * np.float32(1 + number % 7) + np.float32(3)
        rows[part] = block
        sums += np.sum(block, axis=0, dtype=np.float64)
    rows.flush()
    return sums / shape[0]


def drop_cache(path: Path) -> None:
    """Ask the system to forget the pages of a file, which nothing may have mapped."""
    gc.collect()
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cached(path: Path) -> float:
    """Return the share of the pages of a file that the system has in memory."""
    rows = np.memmap(path, np.uint8, "r")
    pages = np.zeros(-(-rows.size // mmap.PAGESIZE), np.uint8)
    place, size, answer = ctypes.c_void_p(rows.ctypes.data), ctypes.c_size_t(rows.size), ctypes.c_void_p(pages.ctypes.data)
    if ctypes.CDLL(None).mincore(place, size, answer):
        raise OSError("The system does not tell which pages are in memory.")
    return float(np.mean(pages & 1))


def read_once(path: Path) -> int:
    """Read the file with plain reads of 64 MiB, and return its size."""
    size = 0
    place = bytearray(2**26)
    with open(path, "rb", buffering=0) as file:
        while number := file.readinto(place):
            size += number
    return size


def bare_products(shape: tuple[int, int], D: Any) -> None:
    """Multiply as many blocks that are in memory, in double precision."""
    C = np.zeros((shape[1], shape[1]))
    for part in blocks(shape[0], len(D)):
        rows = D[: part.stop - part.start]
        C += rows.T @ rows


def tall(folder: Path, shape: tuple[int, int]) -> dict[str, Any]:
    """Return the cost of the pass over a memory map, of reading it and of bare products."""
    path = folder / "rows.bin"
    means = write_tall(path, shape)
    row: dict[str, Any] = {"case": "memory map", "shape": list(shape), "gigabytes": path.stat().st_size / 1e9}
    D = np.random.default_rng(0).standard_normal((BLOCK_BYTES // (8 * shape[1]), shape[1]))  # the blocks of the pass
    row["rounds"] = [tall_round(path, shape, means, D) for _ in range(ROUNDS)]
    path.unlink()
    return row


def tall_round(path: Path, shape: tuple[int, int], means: Any, D: Any) -> dict[str, float]:
    """Return the seconds of reading, of bare products and of the pass, cache cold and then warm."""
    one: dict[str, float] = {"load": os.getloadavg()[0]}
    for state in ("cold", "warm"):
        if state == "cold":
            drop_cache(path)
        one[f"read {state}"] = timed(lambda: read_once(path))[0]
        if state == "cold":
            drop_cache(path)
        else:
            one["products"], one["products cpu"] = timed(lambda: bare_products(shape, D))[:2]
        one[f"cached {state}"] = cached(path)
        with Memory() as memory:
            one[f"pass {state}"], one[f"pass {state} cpu"], center = timed(lambda: one_pass(path, shape))
        one[f"memory {state}"] = memory.largest
        np.testing.assert_allclose(center, means, rtol=1e-12)
    return one


def one_pass(path: Path, shape: tuple[int, int]) -> Any:
    """Form the term of centred rows, and return their means; nothing of the file stays mapped."""
    return op.smooth.Variance(np.memmap(path, np.float32, "r", shape=shape), center=True).center


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


def rates() -> dict[str, Any]:
    """Return the rates of products, of bare NumPy in one thread, in operations each second."""
    A, X = np.random.default_rng(0).standard_normal((20_000, 1_000)), np.random.default_rng(1).standard_normal((1_000, 20))
    return {
        "case": "rates",
        "gram": A.shape[0] * A.shape[1] ** 2 / min(timed(lambda: A.T @ A)[0] for _ in range(5)),
        "products": 2 * A.size * X.shape[1] / min(timed(lambda: A @ X)[0] for _ in range(5)),
        "unit": unit(),
    }


def page(rows: list[dict[str, Any]]) -> None:
    """Fill the tables of docs/scale.md."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(rows).items():
        text = fill(text, table, name)
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    """Run the cases, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--small", action="store_true", help="a hundredth of the rows, the tables printed and not kept")
    options = parser.parse_args()
    if not options.page:
        part = 100 if options.small else 1
        folder = Path(tempfile.mkdtemp(prefix="orthoprox-scale-"))
        try:
            rows = [{"case": "machine", "cores": os.cpu_count(), "load": os.getloadavg()[0]}, rates()]
            rows.append(tall(folder, (TALL[0] // part, TALL[1])))
            rows.append(counts(folder, (COUNTS[0] // part, COUNTS[1])))
            rows.append(compared((RANKS[0] // part, *RANKS[1:])))
        finally:
            shutil.rmtree(folder)
        rows.append(
            {"case": "end", "load": os.getloadavg()[0], "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}
        )
        print(json.dumps(rows, indent=1))
        if options.small:
            return print(*tables(rows).values(), sep="\n\n")
        ROWS.parent.mkdir(exist_ok=True)
        ROWS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    page(json.loads(ROWS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
