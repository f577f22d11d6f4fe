"""Where and with what a number was made, without anything that names a computer or a folder."""

import hashlib
import json
import platform
from datetime import UTC, datetime
from functools import cache
from os import cpu_count
from pathlib import Path

import numpy as np
import scipy

from orthoprox._linalg.products import compiled

_CPU = Path("/proc/cpuinfo")


@cache
def origin() -> dict[str, str]:
    """Return the date, the versions and the machine of this process, with a short hash of them as
    ``origin``.
    """
    facts = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, {_fast()}",
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}, one BLAS thread for each process, "
        f"{cpu_count()} cores",
    }
    return {"origin": hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:6], **facts}


def _processor() -> str:
    lines = _CPU.read_text().splitlines() if _CPU.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown processor"


def _fast() -> str:
    """Return what makes products fast: the BLAS, and whether loops are compiled."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}, {'with' if compiled() is not None else 'without'} numba"
