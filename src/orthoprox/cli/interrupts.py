"""Ctrl-C during a command: at once where nothing can be kept, later where files are written."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class CtrlC(BaseException):
    """Ctrl-C was pressed. No call in between takes it for its own."""


@contextmanager
def at_once() -> Iterator[None]:
    """Let Ctrl-C end what is done within, also a call that would return what it has."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise CtrlC

    with _handled_by(stop):
        yield


@contextmanager
def deferred() -> Iterator[list[int]]:
    """Let what is done within go on to its end; yield the list of what was pressed meanwhile."""
    pressed: list[int] = []
    with _handled_by(lambda number, frame: pressed.append(number)):
        yield pressed


@contextmanager
def _handled_by(handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
