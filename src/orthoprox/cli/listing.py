"""``orthoprox list``: methods, problems and terms, by name."""

import argparse
import inspect
from collections.abc import Callable
from typing import Any

from orthoprox import PROBLEMS, SOLVERS, nonsmooth, smooth
from orthoprox._arrays import inputs


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("list", help="list methods, problems and terms", description="List what there is, by name.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; all by default")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print the lists that were asked for."""
    for kind in [inputs.choice(kind, "KIND", KINDS) for kind in options.kinds] or KINDS:
        names = KINDS[kind]()
        width = max(map(len, names))
        print(f"{kind}\n" + "\n".join(f"  {name:{width}}  {text}" for name, text in names.items()) + "\n")
    return 0


def _methods() -> dict[str, str]:
    """Return what each method is, and what it asks of the terms."""
    lines = {}
    for name, kind in SOLVERS.items():
        needs = " and ".join(ability.needed for ability in kind().needs)
        lines[name] = about(inspect.getmodule(kind)) + (f" Needs {needs}." if needs else "")
    return lines


def about(what: Any) -> str:
    """Return the first sentence of a docstring."""
    return " ".join((inspect.getdoc(what) or "").split("\n\n")[0].split())


KINDS: dict[str, Callable[[], dict[str, str]]] = {
    "methods": _methods,
    "problems": lambda: {name: about(make) for name, make in PROBLEMS.items()},
    "smooth": lambda: {name: about(getattr(smooth, name)) for name in smooth.__all__},
    "nonsmooth": lambda: {name: about(getattr(nonsmooth, name)) for name in nonsmooth.__all__},
}
