"""A limit for the time of one call."""

import faulthandler
import os
import signal
import threading
from contextlib import contextmanager

SECONDS = 60.0
HARD = 3 * SECONDS  # after which the process ends, with the lines at which its threads are


class Hang(BaseException):
    """A call did not end in time."""


def _raise(*_):
    raise Hang


@contextmanager
def limit(seconds=SECONDS):
    """Raise ``Hang`` within a block that takes longer; end the process if that does not help."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before, error = signal.signal(signal.SIGALRM, _raise), os.dup(2)
    faulthandler.dump_traceback_later(HARD, exit=True, file=error)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        os.close(error)
        signal.signal(signal.SIGALRM, before)
