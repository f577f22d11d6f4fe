"""The command ``orthoprox`` and its exit codes."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import orthoprox
from orthoprox.cli import comparison, compilation, completion, components, listing, reproduction, tracing, transformation
from orthoprox.reports.text import visible

COMMANDS = (components, transformation, tracing, comparison, listing, compilation, completion, reproduction)
_WRONG = ValueError, TypeError, ImportError, RuntimeError, OSError, MemoryError
_DESCRIPTION = """Sparse principal components of tables, and nonsmooth optimization with orthogonality constraints."""
_EXAMPLES = """
examples:
  orthoprox spca wine.csv                              components, scores, a model and a report in wine-spca
  orthoprox transform wine-spca/model.npz new.csv      scores of new rows
  orthoprox path wine.csv                              the variance against the number of nonzeros
  orthoprox compare wine.csv --methods lsalm,manpg     methods from one start
  orthoprox COMMAND --help                             the options of a command
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"orthoprox: {visible(message)}; see {self.prog} --help.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 2 for wrong input, 130 after Ctrl-C."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser().parse_args(given)
    options.arguments = given
    try:
        return int(options.command(options))
    except BrokenPipeError:  # nobody reads what is printed, as after `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except _WRONG as error:
        if options.debug:
            traceback.print_exc()
        print(f"orthoprox: {_on_one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\northoprox: interrupted. What was finished is kept; the same command goes on from there.", file=sys.stderr)
        return 130


def _on_one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this table; use fewer columns (--columns), or a sparse format such as mtx."
    return visible(" ".join(str(error).split())) or type(error).__name__


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = _Parser(
        prog="orthoprox",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"orthoprox {orthoprox.__version__}")
    made.add_argument("--debug", action="store_true", help="show where an error comes from")
    commands = made.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return made


if __name__ == "__main__":
    sys.exit(main())
