"""A table that is read in blocks of rows: a large one, or one that ranks of MPI share."""

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from orthoprox import Progress
from orthoprox.cli.reading import choice
from orthoprox.streams.blocks import GRAM, Blocks
from orthoprox.streams.moments import Moments
from orthoprox.streams.ranks import Ranks
from orthoprox.streams.selected import Selected
from orthoprox.streams.served import Served, serve, serving
from orthoprox.tables.rows import row_blocks
from orthoprox.tables.table import Table, counted, named

Floats = np.ndarray[Any, Any]
LARGE = 2**30  # bytes of a table from which it is read in blocks
SCORED = 1_000_000  # rows up to which it has scores then


def is_streamed(reader: Any, options: argparse.Namespace) -> bool:
    """Tell whether a table is so large that it is read in blocks."""
    return bool(reader.size > LARGE and not options.covariance and options.missing == "error")


def streamed(reader: Any, line: Progress) -> Table:
    """Return a table whose rows come in blocks, its moments known; constant columns are set
    aside.
    """
    rows = row_blocks(reader)
    with rows.watched(line.rows):
        rows.moments(cross=rows.columns <= GRAM)
    return without_constants(rows, (*reader.notes, f"The table is read in blocks: {reader.size / 1e9:.3g} GB."))


def shared(options: argparse.Namespace, ranks: Ranks, line: Progress) -> Table:
    """Return a table as rank 0 sees it, of which all ranks have read their own rows."""
    rows = own_rows(options, ranks, line)
    return without_constants(rows, (f"{counted(ranks.size, 'rank')} of MPI have read their own rows.",))


def own_rows(options: argparse.Namespace, ranks: Ranks, line: Progress | None = None) -> Served:
    """Return the rows of this rank and the moments of all; an error on one rank is one on all."""
    rows, failure = None, None
    try:
        if options.covariance or options.missing != "error":
            given = "--covariance" if options.covariance else f"--missing {options.missing}"
            raise ValueError(f"{given} needs the whole table in one process; leave it out, or start without mpirun.")
        rows = row_blocks(options.table, choice(options), part=(ranks.rank, ranks.size))
        with rows.watched(None if line is None else line.rows):
            rows.moments(cross=rows.columns <= GRAM)
    except Exception as error:
        failure = error
    ranks.agreed(failure)
    if rows is None:
        raise AssertionError("a rank without rows has failed")
    ranks.meet(f"reads the columns {named(rows.names or ())}", repr(rows.names).encode())
    moments = ranks.merged(rows.moments(cross=False))
    rows.forget()
    constant(moments)  # raises on every rank, if at all
    return Served(rows, ranks, moments)


def assist(options: argparse.Namespace, ranks: Ranks) -> int:
    """Serve rank 0 with the rows of this rank, and return the exit code."""
    serve(own_rows(options, ranks).own, ranks)
    return 0


def assisted(ranks: Ranks | None) -> AbstractContextManager[None]:
    """Return the block within which other ranks serve, if there are any."""
    return nullcontext() if ranks is None else serving(ranks)


def constant(moments: Moments) -> Floats:
    """Tell for each column whether it is constant to rounding; raise unless two are not."""
    found: Floats = moments.squares <= (1e-15 * np.abs(moments.mean)) ** 2 * moments.count
    if np.sum(~found) < 2:
        left = "all columns are" if np.all(found) else "all columns but one are"
        raise ValueError(f"There are no components to find: {left} constant. Give a table whose rows differ.")
    return found


def without_constants(rows: Blocks, notes: tuple[str, ...]) -> Table:
    """Return the table of these rows without constant columns."""
    without, names = constant(rows.moments(cross=False)), rows.names or ()
    if not np.any(without):
        return Table(rows, names, None, notes)
    left = [name for name, is_constant in zip(names, without, strict=True) if is_constant]
    kept = tuple(name for name in names if name not in set(left))
    verb = "is" if len(left) == 1 else "are"
    note = f"{counted(len(left), 'constant column')} {verb} set aside: {named(left)}."
    return Table(Selected(rows, np.flatnonzero(~without), kept), kept, None, (*notes, note))
