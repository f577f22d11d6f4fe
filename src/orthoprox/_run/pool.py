"""Processes that work in parallel, each with one BLAS thread."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_MOST = 61  # processes that a pool can have on every system


def cores() -> int:
    """Return the number of cores that this process may use."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST)


@contextmanager
def processes(number: int) -> Iterator["ProcessPoolExecutor"]:
    """Yield a pool whose processes end at once when the block is left by an exception, such as
    Ctrl-C.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    with _one_thread():
        pool = ProcessPoolExecutor(number, mp_context=context, initializer=_start)
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
            raise
        pool.shutdown()


def _start() -> None:
    """Let Ctrl-C end the process at once, so that no method returns an interrupted run as its
    result.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started within use one BLAS thread."""
    old = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in old.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
