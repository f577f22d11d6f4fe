"""The options that say how a table is read, which several commands have."""

import argparse
from typing import Any

from orthoprox.tables.choice import Choice

FORMATS = "csv, tsv, npy, npz, mtx, parquet or h5ad, also with gzip; zarr; a folder of files; - reads standard input"


def add_options(parser: Any) -> None:
    """Add the options to a parser."""
    group = parser.add_argument_group("how the table is read; what is not said is guessed")
    group.add_argument("--index", metavar="NAME", help="the column that names the rows")
    group.add_argument("--no-index", action="store_true", help="no column names the rows")
    group.add_argument("--columns", action="append", default=[], metavar="A,B,...", help="the columns to use, by name")
    group.add_argument("--drop", action="append", default=[], metavar="A,B,...", help="columns to leave out, by name")
    group.add_argument(
        "--missing",
        choices=("error", "drop", "mean"),
        default="error",
        help="missing values: an error (default), leave their rows out, or put the mean of the column in their place",
    )
    group.add_argument("--no-header", action="store_true", help="the first line has numbers, not names")
    group.add_argument("--separator", metavar="CHAR", help="what separates cells: one character, tab or space")
    group.add_argument("--decimal", choices=(".", ","), help="the decimal mark")
    group.add_argument("--encoding", metavar="NAME", help="of a file of text: utf-8 (default), latin-1, ...")


def choice(options: argparse.Namespace) -> Choice:
    """Return what the options ask for."""
    return Choice(
        columns=tuple(options.columns),
        drop=tuple(options.drop),
        index=options.index,
        no_index=options.no_index,
        header=False if options.no_header else None,
        separator=options.separator,
        decimal=options.decimal,
        encoding=options.encoding,
    )
