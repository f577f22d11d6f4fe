"""``orthoprox reproduce``: the paper's tables and figures."""

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "reproduce",
        help="make the tables and figures of the paper again",
        description="Run the paper's experiments and write one page that shows its numbers beside those found here. "
        "Runs that were made before are not repeated, except those that ended by an error. All of it takes many hours; "
        "--list tells how long each part takes.",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="what to run, all by default; see --list")
    parser.add_argument("--list", action="store_true", help="list the tables and figures, and what is done of them")
    parser.add_argument("--quick", action="store_true", help="everything at a reduced size, within five minutes")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to write (reproduction, or reproduction-quick)")
    parser.add_argument(
        "--keep", action="store_true", help="keep rows that other versions of the methods made, instead of running them again"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, only write the report from the rows at hand")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="CONDITION",
        help="run a part only, as in --where 'm<=500' --where 'seed<3'; coordinates are seed, solver, m, data, start, frame, "
        "and the parameters that are varied: rho, eps, r, beta, parameter, value",
    )
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Run what was asked for and write the report."""
    from orthoprox.reproduce.run import listing, reproduce

    out = options.out or Path("reproduction-quick" if options.quick else "reproduction")
    if options.list:
        print(listing(out, quick=options.quick))
        return 0
    page = reproduce(options.ids, quick=options.quick, out=out, keep=options.keep, where=options.where, run=not options.report)
    print(f"The report is {page}")
    return 0
