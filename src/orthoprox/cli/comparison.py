"""``orthoprox compare``: methods on one table, from one start."""

import argparse
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox._arrays import inputs
from orthoprox.cli.folder import numbers_text
from orthoprox.cli.output import add_output, outputs, show, write
from orthoprox.cli.reading import FORMATS, add_options, choice
from orthoprox.tables import cleaned, reader

_METHODS = "adaptive,lsalm,manpg,rpn-cg"
_HEADS = "method", "status", "iterations", "gradients", "seconds", "objective", "feasibility", "stationarity", "nonzeros"
_COMPONENTS = 5
_EXAMPLES = """
examples:
  orthoprox compare wine.csv                            the default and three other methods
  orthoprox compare wine.csv -n 4 --methods lsalm,soc,manpg --alpha .2 --start random
  orthoprox list methods                                their names
"""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare",
        help="methods on the sparse components of a table, from one start",
        description="Run several methods on min -tr(X'CX) + mu |X|_1 subject to X'X = I with C the covariance of a table, "
        "all from the same start, and write what they reach as csv and as a picture of their convergence.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", metavar="TABLE", help=f"a row for each sample, a column for each variable: {FORMATS}")
    parser.add_argument("-n", "--components", type=int, metavar="N", help="how many components; 5, or fewer if there are fewer")
    group = parser.add_argument_group("problem and methods")
    group.add_argument("--methods", default=_METHODS, metavar="A,B,...", help=f"by name; {_METHODS} by default")
    group.add_argument(
        "--alpha", type=float, default=0.1, metavar="A", help="the weight of the penalty in (0, 1]; .1 by default"
    )
    group.add_argument("--start", choices=("pca", "coordinates", "random"), default="pca", help="where all begin")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="of the random start; 0 by default")
    group.add_argument("--no-scale", action="store_true", help="do not divide variables by their standard deviations")
    group.add_argument("--no-center", action="store_true", help="do not subtract the means")
    group.add_argument("--tol", type=float, default=1e-6, metavar="T", help="the stationarity to prove; 1e-6 by default")
    group.add_argument("--max-iterations", type=int, default=3000, metavar="N", help="of each method; 3000 by default")
    group.add_argument("--max-seconds", type=float, metavar="S", help="of each method")
    add_options(parser)
    add_output(parser, "compare")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Read, run the methods, write and print what they reach."""
    names = [inputs.choice(name.strip(), "A method", op.SOLVERS) for name in options.methods.split(",")]
    if not 0 < options.alpha <= 1:
        raise ValueError(f"--alpha is {options.alpha:g}; it needs a number above 0 and at most 1.")
    places = outputs(options, "compare")
    table = cleaned(reader(options.table, choice(options)).read(), options.missing)
    problem = _problem(options, table.values)
    start = op.starts.STARTS[options.start](problem, np.random.default_rng(options.seed))
    given = {"tol": options.tol, "max_iterations": options.max_iterations, "max_seconds": options.max_seconds}
    results = dict[str, op.Result]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)  # the status is told
        for name in names:
            results[name] = op.minimize(problem, start, method=name, polish=False, effort="fast", project=True, **given)
    rows = [_row(name, result) for name, result in results.items()]
    where = write(places, numbers_text(_HEADS, rows), _picture(results))
    show(options, _aligned([_HEADS, *(tuple(map(_short, row)) for row in rows)]), list(table.notes), where)
    return 0


def _problem(options: argparse.Namespace, values: Any) -> op.Problem:
    """Return the penalised problem in units of the largest variance."""
    samples, m = values.shape
    n = min(_COMPONENTS, m, max(samples - 1, 1)) if options.components is None else options.components
    if not 1 <= n <= m:
        raise ValueError(f"-n is {n}, but there are {m} variables; ask for 1 to {m} components.")
    if samples < 2:
        raise ValueError("The table has one row of numbers; there is no variance to explain, components need at least two.")
    estimator = op.SparsePCA(n, alpha=options.alpha, center=not options.no_center, scale=not options.no_scale)
    return estimator.problem(values)


def _row(name: str, result: op.Result) -> tuple[Any, ...]:
    end = result.projected_objective, result.feasibility, result.stationarity
    nonzeros = int(np.count_nonzero(np.asarray(result.certificate.point)))
    return name, result.status.name.lower(), result.iterations, result.work.gradients, result.seconds, *end, nonzeros


def _short(value: Any) -> str:
    return (
        f"{value:.8g}"
        if isinstance(value, float) and abs(value) > 0.1
        else f"{value:.1e}"
        if isinstance(value, float)
        else str(value)
    )


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def _picture(results: Mapping[str, op.Result]) -> Any:
    """Return a figure: how far the objective lies above the lowest of all, and the stationarity."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('A plot needs matplotlib: pip install "orthoprox[plot]".') from error
    lowest = min(float(np.min(result.history["projected_objective"])) for result in results.values())
    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    for name, result in results.items():
        k = np.asarray(result.history["iteration"]) + 1
        gap = np.asarray(result.history["projected_objective"]) - lowest
        for axes, values in zip(panels, (gap, np.asarray(result.history["stationarity"])), strict=True):
            axes.plot(k, np.where(values > 0, values, np.nan), marker=".", markersize=4, linewidth=1.2, label=name)
    for axes, label in zip(panels, ("objective above the lowest", "relative stationarity"), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="iteration + 1", title=label)
        axes.grid(alpha=0.3)
    panels[1].legend()
    return figure
