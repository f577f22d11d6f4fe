"""What tests let other processes do: functions and terms of a module that these can import, and
programs that run apart from the tests.
"""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

import orthoprox as op
from orthoprox._run import multistart

SECONDS = 120  # that a program may take


class Slow(op.smooth.Function):
    """l(X) = -|AX|^2 / 2, whose gradient takes its time in every process but the one it was made
    in. A process that evaluates it leaves its number as the name of a file.
    """

    def __init__(self, A, pause=0.0, folder=None):
        self.A, self.pause, self.folder, self.home = A, pause, folder, os.getpid()

    def value(self, X):
        return -0.5 * np.sum((self.A @ X) ** 2)

    def grad(self, X):
        if os.getpid() != self.home:
            if self.folder is not None:
                Path(self.folder, str(os.getpid())).touch()
            self.wait()
        return -self.A.T @ (self.A @ X)

    def value_and_grad(self, X):
        return self.value(X), self.grad(X)

    def wait(self):
        time.sleep(self.pause)


class Deadly(Slow):
    """It ends every process that evaluates it, but the one it was made in."""

    def wait(self):
        os._exit(3)


class Stubborn(Slow):
    """It takes no notice of Ctrl-C."""

    def wait(self):
        end = time.monotonic() + self.pause
        while time.monotonic() < end:
            with suppress(KeyboardInterrupt):
                time.sleep(0.1)


class Talkative(Slow):
    """It prints."""

    def wait(self):
        sys.stdout.write("talk\n")
        os.write(1, b"talk\n")


def slow_problem(pause, folder=None, kind=Slow):
    A = np.random.default_rng(0).standard_normal((30, 12))
    return op.Problem(kind(A, pause, folder), op.nonsmooth.L1(0.5), (12, 3))


def answer(number, queue=None):
    """Run from several starts in this process, which may be daemonic, and say how it ended."""
    two_cores()
    multistart.Workers = None  # which must not be asked for any
    status = op.minimize(slow_problem(0.0), "random", n_starts=3, seed=number).status.name
    if queue is not None:
        queue.put(status)
    return status


def two_cores():
    multistart.cores = lambda: 2


def press_ctrl_c(delay):
    """Send SIGINT to this process after some seconds."""
    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), 2))
    timer.daemon = True
    timer.start()


def program(text, *arguments, **options):
    """Start a program in a session of its own; it finds the modules that tests find."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path)), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", text, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, start_new_session=True, **pipes, **options)


def output(process):
    """Return what a program prints, after it has ended well and without a word to stderr."""
    with process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    return out


def runs(pid):
    """Whether a process still runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(condition, seconds=60):
    """Wait until a condition holds, and return whether it does."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


# Functions that workers execute


def look(deadline, name):
    return os.environ.get(name)


def number(deadline):
    return os.getpid()


def pause(deadline, seconds):
    time.sleep(seconds)


def seconds_left(deadline):
    return deadline.left()


def heard(deadline):
    """Wait for a stop, and return whether it came through the deadline."""
    with deadline.listening(), deadline.part():
        deadline.call(time.sleep, SECONDS)
    return deadline.interrupted


def heeded(deadline):
    """The same, by asking again and again."""
    with deadline.listening(), deadline.part():
        while True:
            deadline.heed()
            time.sleep(0.01)
    return deadline.interrupted


def run_or_die(deadline, body, X0, own):
    """Run from a start, but die at coordinate vectors."""
    if np.array_equal(X0, np.eye(*X0.shape)):
        os._exit(3)
    return multistart._apart(deadline, body, X0, own)


def wait_or_run(deadline, body, X0, own):
    """Run from coordinate vectors at once, and from another start after a stop."""
    if not np.array_equal(X0, np.eye(*X0.shape)):
        heeded(deadline)
    return multistart._apart(deadline, body, X0, own)


def sleep_instead(deadline, body, X0, own):
    """What a worker does that does not answer."""
    time.sleep(SECONDS)


def die(deadline):
    os._exit(3)


def fail(deadline):
    raise ValueError("It cannot be done.")


def slow_number(deadline):
    time.sleep(0.2)
    return os.getpid()


def talk(deadline):
    sys.stdout.write("printed\n")
    os.write(1, b"written\n")
