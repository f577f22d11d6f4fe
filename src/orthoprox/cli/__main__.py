"""The command ``orthoprox`` and its exit codes."""

import argparse
import sys
from collections.abc import Sequence

import orthoprox
from orthoprox.cli import compilation, listing, reproduction

COMMANDS = (listing, compilation, reproduction)


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
    for command in COMMANDS:
        command.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
