"""Passes on a Dask scheduler: threads here, a real cluster of processes in the second tier."""

import os
import signal
import time

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox.streams import graph
from orthoprox.streams.sources import as_blocks

da = pytest.importorskip("dask.array")
A = normal(0, 300, 6) + 1e3


def test_nothing_but_sums_comes_back(monkeypatch):
    """The graph of a pass ends in one task, whose result has m x m numbers and a mean."""
    import dask

    came, compute = [], dask.compute
    monkeypatch.setattr(dask, "compute", lambda *tasks: came.append(compute(*tasks)) or came[-1])
    op.smooth.Variance(da.from_array(A, chunks=(7, 3)), center=True)
    assert [type(one).__name__ for (one,) in came] == ["Moments"]
    assert came[0][0].scatter.shape == (6, 6)


def test_merges_are_a_tree():
    """Of 43 blocks at most eight are merged at a time, in two levels."""
    merged = []
    rows = as_blocks(da.from_array(A, chunks=(7, -1)))
    rows._reduced(lambda block, start: 1, lambda some: merged.append(len(some)) or sum(some), rows._sizes)
    assert max(merged) <= graph._FAN
    assert len(merged) == 6 + 1


def test_a_computation_that_fails_is_told():
    def fail(block):
        raise RuntimeError("no such bucket")

    with pytest.raises(OSError, match="A could not be computed by Dask: RuntimeError: no such bucket"):
        op.smooth.Variance(da.from_array(A, chunks=(50, -1)).map_blocks(fail, dtype=float, meta=np.empty((0, 0))))


def test_partitions_without_rows_are_left_out():
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame(A[np.argsort(A[:, 0])], columns=list("abcdef")), npartitions=5)
    few = frame[frame["a"] > 1e3]
    np.testing.assert_allclose(op.smooth.Variance(few, center=True).center, A[A[:, 0] > 1e3].mean(0))
    with pytest.raises(ValueError, match="A has no rows"):
        op.smooth.Variance(frame[frame["a"] < 0])


def slow(block, folder):
    """Note the process, and take a while."""
    (folder / str(os.getpid())).touch()
    time.sleep(0.15)
    return block


@pytest.mark.extended
@pytest.mark.filterwarnings("ignore")  # of distributed, about workers that are gone
def test_a_worker_that_is_killed_only_delays_the_pass(tmp_path):
    """On a cluster of processes: the pass of means and Gram matrix, with and without a loss."""
    from threading import Thread

    distributed = pytest.importorskip("distributed")
    D = A - A.mean(0)

    def kill_one():
        while not list(tmp_path.iterdir()):
            time.sleep(0.02)
        os.kill(int(next(tmp_path.iterdir()).name), signal.SIGKILL)

    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster):
        rows = da.from_array(A, chunks=(10, -1))
        np.testing.assert_allclose(op.smooth.Variance(rows, center=True).hessian, -2 * D.T @ D, rtol=1e-9, atol=1e-9)
        killer = Thread(target=kill_one)
        killer.start()
        ell = op.smooth.Variance(rows.map_blocks(slow, tmp_path, dtype=float, meta=np.empty((0, 0))), center=True)
        killer.join()
        np.testing.assert_allclose(ell.hessian, -2 * D.T @ D, rtol=1e-9, atol=1e-9)
        assert len(list(tmp_path.iterdir())) >= 3  # another process has taken the place of the one that was killed
