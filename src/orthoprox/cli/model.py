"""The options that say what components are, which several commands have."""

import argparse
from typing import Any


def add_model(group: Any) -> None:
    """Add the options that say what components are, and how much time there is."""
    group.add_argument("--penalty", choices=("l1", "l21", "mcp", "scad"), default="l1", help="l21 chooses whole variables")
    group.add_argument("--nonnegative", action="store_true", help="loadings >= 0")
    group.add_argument("--criterion", choices=("variance", "adjusted"), default="variance", help="what --nonzeros maximises")
    group.add_argument("--no-scale", action="store_true", help="do not divide variables by their standard deviations")
    group.add_argument("--no-center", action="store_true", help="do not subtract the means")
    group.add_argument("--covariance", action="store_true", help="the table is a covariance or correlation matrix")
    group.add_argument("--effort", choices=("fast", "normal", "thorough"), help="how much to look for lower minima")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="of random starts; 0 by default")
    group.add_argument("--max-seconds", type=float, metavar="S", help="the time budget, reading included")


def nonzeros(text: str) -> int | list[int]:
    """Return a number, or several, from text."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number; a share goes with --sparsity") from None
    return numbers if len(numbers) > 1 else numbers[0]
