"""What a checkpoint costs: processor time with and without one, and the size of the file.

``python -m benchmarks.checkpoints`` runs LSALM for a number of iterations from one start, with and
without a checkpoint at the default interval, in turns.
"""

import os
import tempfile
from time import perf_counter, process_time

import orthoprox as op
from orthoprox.files.checkpoint import Checkpoint

SIZES = [((1000, 50), 3_000), ((2000, 100), 600)]  # of X, and iterations: some seconds each
TURNS = 2


def main() -> None:
    """Print a table."""
    print("| X | seconds | share of time for checkpoints | writes | size, times X | seconds of a write |")
    print("|---|---|---|---|---|---|")
    for shape, iterations in SIZES:
        print(_row(shape, iterations), flush=True)


def _row(shape: tuple[int, int], iterations: int) -> str:
    m, n = shape
    problem = op.problems.sparse_pca(op.datasets.five_components(m // 2, m, seed=0), n, 0.5)
    X0, stop = op.stiefel.random_point(m, n, 0), op.stopping.MaxIterations(iterations)
    times: dict[bool, list[float]] = {True: [], False: []}
    writes: list[tuple[int, float]] = []
    for turn in range(2 * TURNS):
        kept = turn % 2 == 1
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.npz")
            with _measured(writes):
                begin = process_time()
                op.solve(problem, op.LSALM(), X0, stop=stop, history=False, **({"checkpoint": file} if kept else {}))
                times[kept].append(process_time() - begin)
    alone, share = min(times[False]), min(times[True]) / min(times[False]) - 1
    size, seconds = max(size for size, _ in writes), max(seconds for _, seconds in writes)
    return f"| {shape} | {alone:.0f} | {100 * share:.1f} % | {len(writes)} | {size / (8 * m * n):.1f} | {seconds:.2f} |"


class _measured:  # noqa: N801
    """Measures the writes within its block."""

    def __init__(self, writes: list[tuple[int, float]]) -> None:
        self.writes, self.write = writes, Checkpoint.write

    def __enter__(self) -> None:
        write, writes = self.write, self.writes

        def measured(file, *given, **options):
            begin = perf_counter()
            write(file, *given, **options)
            writes.append((os.path.getsize(file.place), perf_counter() - begin))

        Checkpoint.write = measured

    def __exit__(self, *_: object) -> None:
        Checkpoint.write = self.write


if __name__ == "__main__":
    main()
