"""``orthoprox transform``: scores of new rows."""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from orthoprox.cli.folder import scores_text, write_text
from orthoprox.cli.reading import FORMATS, add_options, choice
from orthoprox.reports.text import visible
from orthoprox.tables import Table, reader
from orthoprox.tables.cleaning import without_missing
from orthoprox.tables.table import counted, named

_EXAMPLES = """
examples:
  orthoprox transform wine-spca/model.npz new.csv              scores on standard output
  orthoprox transform wine-spca/model.npz new.csv --out scores.csv
"""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "transform",
        help="scores of new rows with a model that spca wrote",
        description="Compute the scores of the rows of a table with a model. Columns are matched by name, in any order.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="the file model.npz that orthoprox spca wrote")
    parser.add_argument("table", metavar="TABLE", help=f"the new rows: {FORMATS}")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the csv file to write; standard output by default")
    parser.add_argument("--force", action="store_true", help="overwrite the file")
    parser.add_argument("--quiet", action="store_true", help="no notes")
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from")
    add_options(parser)
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the scores."""
    from orthoprox import SparsePCA

    if options.out is not None and options.out.exists() and not options.force:
        raise FileExistsError(f"{str(options.out)!r} is there already; name another file with --out, or add --force.")
    estimator = SparsePCA.load(options.model)
    table = matched(estimator, reader(options.table, choice(options)).read())
    table = without_missing(table, options.missing)
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_  # the columns are in the order of the model
    text = scores_text(estimator.transform(table.values), table.row_names)
    if options.out is None:
        sys.stdout.write(text)
    else:
        write_text(options.out, text)
    if not options.quiet:
        for note in table.notes:
            print(f"note: {visible(note)}", file=sys.stderr)
    return 0


def matched(estimator: Any, table: Table) -> Table:
    """Return the columns of the model, in its order."""
    wanted = [str(name) for name in getattr(estimator, "feature_names_in_", table.names)]
    places = {name: at for at, name in enumerate(table.names)}
    lacking = [name for name in wanted if name not in places]
    if lacking:
        columns = "column" if len(lacking) == 1 else "columns"
        raise ValueError(
            f"The table lacks the {columns} {named(lacking)} of the model; it needs all {len(wanted)} of them, "
            "with the same names."
        )
    others = [name for name in table.names if name not in set(wanted)]
    notes = [f"{counted(len(others), 'column')} not in the model ignored: {named(others)}."] if others else []
    return table.columns(np.array([places[name] for name in wanted]), *notes)
