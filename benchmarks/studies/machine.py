"""Where the numbers come from: the machine and the versions, without anything that names a computer or a folder."""

from os import cpu_count

import numpy as np

from orthoprox._linalg.products import kernels
from orthoprox.reproduce.fingerprint import fingerprint
from orthoprox.reproduce.origin import origin


def machine() -> dict[str, str]:
    """Return the date, the processor, the versions and a hash of the code of the library."""
    facts = origin()
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    compiled = "with numba" if kernels is not None else "without numba"
    return {
        "date": facts["date"],
        "machine": f"{facts['machine']}, {cpu_count()} cores",
        "versions": f"{facts['versions']}, {blas['name']} {blas['version']}, {compiled}",
        "code": fingerprint(),
    }
