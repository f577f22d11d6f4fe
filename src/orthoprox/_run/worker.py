"""A process that executes functions for the one that started it: the other end of ``workers.py``.

Both speak in frames over the worker's pipes: eight bytes with a length, and that many bytes. The
worker sends one frame when it is ready, and one for each function: what it returned, or an empty
frame if it failed. A function comes in two frames, the seconds it has and the function itself with
its arguments. An empty frame instead of the first stops the function that is at work, as Ctrl-C
would.
"""

import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from time import sleep
from typing import IO

from orthoprox.stopping.clock import Deadline, on_ctrl_c

EMPTY = b""
_LENGTH = 8  # bytes before a frame
_PAUSE = 1.0  # seconds between looks at the parent


class _Order:
    """A function that is to be executed, and its deadline."""

    def __init__(self, seconds: float | None) -> None:
        self.deadline = Deadline(seconds)
        self.body = EMPTY

    def execute(self) -> bytes:
        """Return the frame with what the function returned."""
        try:
            function, arguments = pickle.loads(self.body)
            return pickle.dumps(function(self.deadline, *arguments))
        except BaseException:  # whoever waits for it decides what to do
            return EMPTY

    def stop(self) -> None:
        """Stop it as Ctrl-C would, even if it has not begun."""
        self.deadline.interrupted = True
        main = threading.main_thread().ident
        if sys.platform != "win32" and main is not None:
            signal.pthread_kill(main, signal.SIGINT)  # which also ends a system call of the main thread
        else:
            signal.raise_signal(signal.SIGINT)


def serve() -> None:
    """Execute the functions that come over the standard input, until that ends."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what users' functions print must not come between the frames
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, on_ctrl_c)  # which does nothing but to a call that listens
    orders: SimpleQueue[_Order] = SimpleQueue()
    threading.Thread(target=_read, args=(source, orders), daemon=True).start()
    if sys.platform != "win32":
        threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    write_frame(sink, EMPTY)
    while True:
        write_frame(sink, orders.get().execute())


def _read(source: IO[bytes], orders: "SimpleQueue[_Order]") -> None:
    """Pass the orders on; when the parent has ended, end as well."""
    order: _Order | None = None
    try:
        while True:
            frame = read_frame(source)
            if frame != EMPTY:
                order = _Order(pickle.loads(frame))  # whose time begins before its body is here
                order.body = read_frame(source)
                orders.put(order)
            elif order is not None:
                order.stop()
    finally:
        os._exit(0)


def _follow(parent: int) -> None:
    """End when the parent has ended, even if a process that it forked holds its end of the pipe."""
    while os.getppid() == parent:
        sleep(_PAUSE)
    os._exit(0)


def write_frame(sink: IO[bytes], frame: bytes) -> None:
    """Write a frame."""
    sink.write(len(frame).to_bytes(_LENGTH, "big"))
    sink.write(frame)
    sink.flush()


def read_frame(source: IO[bytes]) -> bytes:
    """Return the next frame, or raise ``EOFError`` if there is none."""
    length = source.read(_LENGTH)
    frame = source.read(int.from_bytes(length, "big"))
    if len(length) < _LENGTH or len(frame) < int.from_bytes(length, "big"):
        raise EOFError("The process at the other end of the pipe has ended.")
    return frame
