"""Code that numba compiles and keeps on disk: where the loops for small problems come from, and
whether they are kept. numba is imported when the first of them is.
"""

import hashlib
import os
import struct
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_HERE, _SHARED = Path(__file__).parent, Path(__file__).parents[1] / "solvers" / "_shared"
_SOURCES = {  # of the loops: the file of each, and those whose functions and numbers are compiled with it
    "walk": [_HERE / "walk.py"],
    "newton": [_SHARED / f"{name}.py" for name in ("newton_loop", "newton_parts", "proximal_newton", "tangent_prox")],
}
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract"}}  # sums in any order use wide registers


def compiled(loop: str = "", *signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a loop, and keep the code on disk where there is a place for it; or a part of one,
    which is compiled with it.
    """
    from numba import njit

    compile_it: Any = njit

    def compiling(function: Callable[..., Any]) -> Any:
        function.__qualname__ = kept_name(loop) if loop else function.__qualname__
        try:
            return compile_it(*signature, cache=bool(loop), **_OPTIONS)(function)
        except RuntimeError:  # no folder to keep the code in
            return compile_it(*signature, **_OPTIONS)(function)

    return compiling


def kept_name(loop: str) -> str:
    """Return the name under which numba keeps a loop: it changes with each of its sources, of which
    numba looks at the first alone.
    """
    return f"{loop}_{hashlib.sha256(b''.join(file.read_bytes() for file in _SOURCES[loop])).hexdigest()}"


def is_kept() -> bool:
    """Whether numba has kept the machine code of the loops on disk: its indexes name its own
    version and the sources. Nothing is imported for this.
    """
    try:
        return all(_is_kept(loop, files[0]) for loop, files in _SOURCES.items())
    except (OSError, RuntimeError, PackageNotFoundError):  # RuntimeError: there is no home
        return False


def _is_kept(loop: str, code: Path) -> bool:
    folder = f"{code.parent.name}_{hashlib.sha1(str(code.parent).encode()).hexdigest()}"
    chosen, user = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    places = [Path(chosen, folder)] if chosen else [code.parent / "__pycache__", Path(user, "numba", folder)]
    files = f"{code.stem}.{kept_name(loop)}-*.py{sys.version_info[0]}{sys.version_info[1]}*.nbi"
    release, source = version("numba").encode(), code.read_bytes()
    stamps = hashlib.sha256(source).digest(), struct.pack(">d", code.stat().st_mtime)  # of new and of older versions
    indexes = [file.read_bytes() for place in places for file in place.glob(files)]
    return any(release in index and any(stamp in index for stamp in stamps) for index in indexes)
