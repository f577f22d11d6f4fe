"""``orthoprox compile``: machine code for the loops that numba compiles, kept on disk."""

import argparse
from time import perf_counter
from typing import Any


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compile",
        help="compile the loops for small problems and for large sparse X",
        description="Compile the loops that numba compiles, and keep the code beside the package, in the user's cache or in "
        "NUMBA_CACHE_DIR. Processes that begin later use it from their first call.",
    )
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Compile what is not compiled yet, and print where it is kept and how long that took."""
    from orthoprox._adaptive.compiled import INSTALL, has_numba

    if not has_numba():
        raise ImportError(f"numba is not installed; {INSTALL}.")
    began = perf_counter()
    from orthoprox._adaptive.walk import walk
    from orthoprox._linalg.kernels import compile_all
    from orthoprox.solvers._shared.newton_loop import newton

    for what, loops in (("small problems", [walk, newton]), ("large sparse X", compile_all())):
        new = sum(any(loop.stats.cache_misses.values()) for loop in loops)
        place = loops[0].stats.cache_path
        kept = f"kept in {place}" if place else "but there is no folder to keep them in; set NUMBA_CACHE_DIR to one"
        print(f"{what}: {len(loops)} loops, {new} compiled now, {kept}")
    print(f"This took {perf_counter() - began:.1f} s.")
    return 0
