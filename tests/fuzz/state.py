"""What a call must leave as it was: its arguments, and what belongs to the whole process."""

import copy
import multiprocessing
import os
import random
import signal
import sys
import threading
import warnings
from time import perf_counter, sleep

import numpy as np
import scipy.io  # noqa: F401  (imports threadpoolctl where that is installed, which sets a variable)
import scipy.sparse as sp


def fingerprint(value, depth=0):
    """Return a value that changes when the argument does. Random generators may change, and
    callables keep count.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return repr(value)
        mask = np.ma.getmaskarray(value).tobytes() if isinstance(value, np.ma.MaskedArray) else b""
        layout = value.dtype.str, value.shape, value.strides, value.flags.writeable
        return type(value).__name__, *layout, np.asarray(value).tobytes(), mask
    if sp.issparse(value):
        parts = {
            name: part for name, part in vars(value).items() if name in ("data", "indices", "indptr", "coords", "rows", "_dict")
        }
        return (
            type(value).__name__,
            value.shape,
            value.dtype.str,
            {name: fingerprint(part, depth + 1) for name, part in parts.items()},
        )
    if isinstance(value, (list, tuple)) and depth < 4:
        return type(value).__name__, [fingerprint(part, depth + 1) for part in value]
    if isinstance(value, dict) and depth < 4:
        return {name: fingerprint(part, depth + 1) for name, part in value.items()}
    if isinstance(value, (str, bytes, int, float, complex, np.generic)):
        return repr(value)
    if hasattr(value, "to_numpy"):  # a table
        return fingerprint(value.to_numpy(), depth + 1)
    if hasattr(value, "smooth") and hasattr(value, "nonsmooth") and isinstance(value.smooth, tuple):  # a recipe
        return fingerprint((value.smooth, value.nonsmooth), depth + 1)
    return None


def process_state():
    """Return what belongs to the whole process, by name."""
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    return {
        "np.geterr()": np.geterr(),
        "np.geterrcall()": np.geterrcall(),
        "np.random": (kind, keys.tobytes(), *rest),
        "random": random.getstate(),
        "np.get_printoptions()": copy.copy(np.get_printoptions()),
        "os.environ": dict(os.environ),
        "the working directory": os.getcwd(),
        "signal handlers": [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD)],
        "warnings.filters": list(warnings.filters),
        "threads": _threads(),
        "child processes": {child.pid for child in multiprocessing.active_children()},
        "sys.excepthook": (sys.excepthook, sys.unraisablehook, threading.excepthook),
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
    }


def changes(before, after):
    """Return the names under which two states differ. What a call started is given a second to
    end.
    """
    deadline = perf_counter() + 1
    while before["threads"] != after["threads"] and perf_counter() < deadline:
        sleep(0.01)
        after["threads"] = _threads()
    return [name for name in before if before[name] != after[name]]


def _threads():
    return {thread.ident for thread in threading.enumerate()}
