"""``orthoprox path``: variance against nonzeros."""

import argparse
import warnings
from typing import Any

from orthoprox import ConvergenceWarning, Progress
from orthoprox.cli.analysis import Analysis
from orthoprox.cli.folder import numbers_text
from orthoprox.cli.model import add_model, nonzeros
from orthoprox.cli.output import add_output, outputs, show, write
from orthoprox.cli.reading import FORMATS, add_options

_LEVELS = 12
_HEADS = "nonzeros", "explained_variance_ratio", "adjusted_variance_ratio", "pca_variance_ratio"
_EXAMPLES = """
examples:
  orthoprox path wine.csv                               twelve numbers of nonzeros, into wine-path.csv and wine-path.png
  orthoprox path wine.csv -n 4 --nonzeros 40,30,20,10   these
"""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "path",
        help="the variance of sparse components against their number of nonzeros",
        description="Find components with several numbers of nonzeros, and write what they explain as csv and as a picture.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", metavar="TABLE", help=f"a row for each sample, a column for each variable: {FORMATS}")
    parser.add_argument("-n", "--components", type=int, metavar="N", help="how many components; 5, or fewer if there are fewer")
    parser.add_argument("--nonzeros", type=nonzeros, dest="levels", metavar="K1,K2,...", help="the numbers; twelve by default")
    add_model(parser.add_argument_group("how the components are found"))
    add_options(parser)
    add_output(parser, "path")
    parser.set_defaults(command=run, nonzeros=None, sparsity=None, alpha=None, no_refit=False, n_init=1, tol=1e-5)


def run(options: argparse.Namespace) -> int:
    """Read, fit, write and print the numbers."""
    from orthoprox import SparsePCA

    places = outputs(options, "path")
    analysis = Analysis(options, SparsePCA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the numbers that are found are told
        analysis.read(Progress())
        levels = options.levels
        path = analysis.path(_LEVELS if levels is None else levels if isinstance(levels, list) else [levels])
    rows = zip(path.n_nonzeros.tolist(), path.explained_variance_ratio, path.adjusted_variance_ratio, strict=True)
    told = numbers_text(_HEADS, ((number, float(a), float(b), path.pca) for number, a, b in rows))
    show(options, repr(path), analysis.notes, write(places, told, path.plot()))
    return 0
