"""Processes that work in parallel, each with one BLAS thread.

They are fresh interpreters that import nothing but the library and what is sent to them: neither
the environment nor the main module of this program is touched. They end with the block in which
they are used, and when this process is killed.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from threading import Lock
from typing import IO, Any, TypeVar, cast

from orthoprox._run.worker import EMPTY, read_frame, write_frame

T = TypeVar("T")

_THREADS = "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"
_MOST = 61  # workers, on every system
_TICK = 1e-9  # seconds of a function that has to end at once
_PROGRAM = """
import sys
sys.path[:] = sys.argv[1:]
try:
    from orthoprox._run.worker import serve
except ImportError:  # the program has ways of its own to find modules
    sys.exit(1)
serve()
"""


class WorkerError(RuntimeError):
    """A worker has died, or what it was to execute failed there."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST)


def may_start() -> bool:
    """Whether this process may start workers: it has an interpreter, and is not itself one of the
    daemonic processes of ``multiprocessing``, such as those of a ``Pool``.
    """
    module = sys.modules.get("multiprocessing.process")
    daemonic = module is not None and module.current_process().daemon
    return bool(sys.executable) and not getattr(sys, "frozen", False) and not daemonic


class Workers:
    """Some processes that execute functions, while its block lasts.

    Parameters
    ----------
    number : int
        How many processes.
    """

    def __init__(self, number: int) -> None:
        self._all: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(number)  # one waits for each worker
        try:
            for _ in range(number):
                self._all.append(_Worker())
                self._idle.put(self._all[-1])
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def submit(self, function: Callable[..., T], *arguments: Any, seconds: Callable[[], float] = lambda: inf) -> "Future[T]":
        """Let a worker call ``function(deadline, *arguments)`` when its turn comes.

        Parameters
        ----------
        function : callable
            A function of a module. Its first argument is a :class:`Deadline`.
        *arguments
            What can be pickled.
        seconds : callable, optional
            Returns the time until the deadline; it is asked when a worker is ready.

        Returns
        -------
        Future
            It has a :class:`WorkerError` if the function raises or the worker dies.
        """
        return self._threads.submit(self._execute, function, arguments, seconds)

    def stop(self) -> None:
        """Stop the functions that are at work as Ctrl-C would; no other begins."""
        for worker in self._all:
            worker.stop()

    def _execute(self, function: Callable[..., T], arguments: tuple[Any, ...], seconds: Callable[[], float]) -> T:
        worker = self._idle.get()
        try:
            found: T = worker.execute(function, arguments, seconds)
            return found
        finally:
            self._idle.put(worker)  # even a dead one, at which other functions fail rather than wait

    def _end(self) -> None:
        for worker in self._all:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._all:
            worker.close()


class _Worker:
    """One process, and the pipes to it."""

    def __init__(self) -> None:
        path = [entry for entry in sys.path if isinstance(entry, str)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *path],
            env={**os.environ, **dict.fromkeys(_THREADS, "1")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **_apart(),
        )
        self._source, self._sink = cast(IO[bytes], self._process.stdout), cast(IO[bytes], self._process.stdin)
        self._ready = self._at_work = self._stopped = False
        self._writing = Lock()

    def execute(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: Callable[[], float]) -> Any:
        """Return what the function returns."""
        body = pickle.dumps((function, arguments))
        try:
            if not self._ready:
                read_frame(self._source)
                self._ready = True
            with self._writing:
                if self._stopped:
                    raise WorkerError("It was stopped before it began.")
                left = seconds()
                write_frame(self._sink, pickle.dumps(None if left == inf else max(left, _TICK)))
                write_frame(self._sink, body)
                self._at_work = True
            reply = read_frame(self._source)
            self._at_work = False
        except (OSError, EOFError) as error:
            raise WorkerError("A worker was killed from outside.") from error
        if reply == EMPTY:
            raise WorkerError("A function raised an exception in a worker, or could not be sent there.")
        return pickle.loads(reply)

    def stop(self) -> None:
        """Stop the function that is at work, or the process if there is none."""
        with self._writing:
            if self._stopped:
                return
            self._stopped = True
            if self._at_work:
                with suppress(OSError):
                    write_frame(self._sink, EMPTY)
            else:
                self.kill()

    def kill(self) -> None:
        """End the process at once, and on POSIX also those that it started."""
        if self._process.poll() is not None:
            return
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Wait for its end, and close the pipes."""
        self._process.wait()
        for pipe in (self._source, self._sink):
            with suppress(OSError):
                pipe.close()


def _apart() -> dict[str, Any]:
    """Return the options of a process that a terminal's Ctrl-C does not reach."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
