"""The command line: ``orthoprox list`` shows what there is, ``orthoprox reproduce`` makes the paper's tables and figures."""

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orthoprox
from orthoprox import _inputs, nonsmooth, smooth
from orthoprox.problems import PROBLEMS
from orthoprox.solvers import SOLVERS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 2 for wrong input, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except (ValueError, TypeError, ImportError, RuntimeError, OSError) as error:
        print(f"orthoprox: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\northoprox: interrupted. What was finished is kept; the same command goes on from there.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="orthoprox", description="Nonsmooth optimization with orthogonality constraints.")
    parser.add_argument("--version", action="version", version=f"orthoprox {orthoprox.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="list methods, problems and terms", description="List what there is, by name.")
    listing.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; all by default")
    listing.set_defaults(command=_list)
    reproduce = commands.add_parser(
        "reproduce",
        help="make the tables and figures of the paper again",
        description="Run the paper's experiments and write one page that shows its numbers beside those found here. "
        "Runs that were made before are not repeated, except those that ended by an error. All of it takes many hours; "
        "--list tells how long each part takes.",
    )
    reproduce.add_argument("ids", nargs="*", metavar="ID", help="what to run, all by default; see --list")
    reproduce.add_argument("--list", action="store_true", help="list the tables and figures, and what is done of them")
    reproduce.add_argument("--quick", action="store_true", help="everything at a reduced size, within five minutes")
    reproduce.add_argument("--out", type=Path, metavar="DIR", help="where to write (reproduction, or reproduction-quick)")
    reproduce.add_argument(
        "--keep", action="store_true", help="keep rows that other versions of the methods made, instead of running them again"
    )
    reproduce.add_argument("--report", action="store_true", help="run nothing, only write the report from the rows at hand")
    reproduce.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="CONDITION",
        help="run a part only, as in --where 'm<=500' --where 'seed<3'; coordinates are seed, solver, m, data, start, frame, "
        "and the parameters that are varied: rho, eps, r, beta, parameter, value",
    )
    reproduce.set_defaults(command=_reproduce)
    return parser


def _list(options: argparse.Namespace) -> int:
    for kind in [_inputs.choice(kind, "KIND", KINDS) for kind in options.kinds] or KINDS:
        names = KINDS[kind]()
        width = max(map(len, names))
        print(f"{kind}\n" + "\n".join(f"  {name:{width}}  {text}" for name, text in names.items()) + "\n")
    return 0


def _methods() -> dict[str, str]:
    """Return what each method is, and what it asks of g."""
    about = {}
    for name, kind in SOLVERS.items():
        needs = " and ".join(ability.needed for ability in kind().needs)
        about[name] = _about(inspect.getmodule(kind)) + (f" Needs {needs}." if needs else "")
    return about


def _about(what: Any) -> str:
    """Return the first sentence of a docstring."""
    return " ".join((inspect.getdoc(what) or "").split("\n\n")[0].split())


KINDS: dict[str, Callable[[], dict[str, str]]] = {
    "methods": _methods,
    "problems": lambda: {name: _about(make) for name, make in PROBLEMS.items()},
    "smooth": lambda: {name: _about(getattr(smooth, name)) for name in smooth.__all__},
    "nonsmooth": lambda: {name: _about(getattr(nonsmooth, name)) for name in nonsmooth.__all__},
}


def _reproduce(options: argparse.Namespace) -> int:
    from orthoprox.experiments import reproduce

    out = options.out or Path("reproduction-quick" if options.quick else "reproduction")
    if options.list:
        print(reproduce.listing(out, quick=options.quick))
        return 0
    page = reproduce.reproduce(
        options.ids, quick=options.quick, out=out, keep=options.keep, where=options.where, run=not options.report
    )
    print(f"The report is {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
