"""The command line: ``orthoprox reproduce`` makes every table and figure of the paper."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import orthoprox


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
