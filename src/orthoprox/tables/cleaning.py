"""What is done before a table can be analysed: missing values, columns without variance."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox.tables.table import Table, counted, named, quoted

MISSING = "error", "drop", "mean"
_CELLS = 4  # that a message names
_BLOCK = 2**22  # entries looked at a time


def cleaned(table: Table, missing: str = "error") -> Table:
    """Return the table without missing values and without constant columns, with notes on both.

    Parameters
    ----------
    missing : {"error", "drop", "mean"}
        What to do about missing values: raise a ValueError that names them, leave their rows out,
        or replace them by the mean of their column.
    """
    return without_constants(without_missing(table, missing))


@quiet()
def without_constants(table: Table) -> Table:
    """Return the table without columns whose values are all equal."""
    constant = _constant(table.values)
    if not np.any(constant):
        return table
    names = [name for name, is_constant in zip(table.names, constant, strict=True) if is_constant]
    if np.all(constant):
        reason = "it has one row" if table.values.shape[0] == 1 else "all columns are constant"
        raise ValueError(f"There is no variance to explain: {reason}. Give a table whose rows differ.")
    verb = "is" if len(names) == 1 else "are"
    return table.columns(~constant, f"{counted(len(names), 'constant column')} {verb} set aside: {named(names)}.")


def _constant(values: Any) -> Any:
    """Tell for each column whether all its values are equal."""
    if not sp.issparse(values):
        step = max(1, _BLOCK // values.shape[1])
        same = np.ones(values.shape[1], dtype=bool)
        for start in range(0, len(values), step):
            same &= np.all(values[start : start + step] == values[0], axis=0)
        return same
    largest, smallest = (np.asarray(bound.todense()).ravel() for bound in (values.max(axis=0), values.min(axis=0)))
    return largest == smallest


def without_missing(table: Table, missing: str = "error") -> Table:
    """Return the table with every value finite."""
    missing = inputs.choice(missing, "--missing", MISSING)
    infinite = _places(table.values, np.isinf)
    if len(infinite[0]):
        raise ValueError(f"{_told(table, infinite, 'infinite value')}. Correct them, or leave the columns out with --drop.")
    places = _places(table.values, np.isnan)
    if not len(places[0]):
        return table
    if missing == "error":
        raise ValueError(
            f"{_told(table, places, 'missing value')}. Leave such rows out with --missing drop, or put the mean of the "
            "column in their place with --missing mean."
        )
    if missing == "mean":
        return _with_means(table, places)
    kept = np.ones(table.values.shape[0], dtype=bool)
    kept[places[0]] = False
    if not np.any(kept):
        raise ValueError("Every row has a missing value, so --missing drop leaves none; use --missing mean, or --drop columns.")
    dropped = int(np.sum(~kept))
    return table.rows(kept, f"{counted(dropped, 'row')} with missing values left out, {np.sum(kept):,} remain.")


def _with_means(table: Table, places: tuple[Any, Any]) -> Table:
    values = table.values.copy()
    where = np.unique(places[1])
    if sp.issparse(values):
        stored = np.isnan(values.data)
        columns = values.indices[stored]
        values.data[stored] = 0.0
        given = values.shape[0] - np.bincount(columns, minlength=values.shape[1])
        means = np.asarray(values.sum(axis=0)).ravel() / np.maximum(given, 1)
        values.data[stored] = means[columns]
    else:
        given = np.sum(~np.isnan(values[:, where]), axis=0)
        means = np.zeros(values.shape[1])
        means[where] = np.where(given > 0, np.nansum(values[:, where], axis=0) / np.maximum(given, 1), np.nan)
        values[places] = means[places[1]]
    if not np.all(np.isfinite(means[where])):
        empty = [table.names[at] for at in where if not np.isfinite(means[at])]
        raise ValueError(f"Column {named(empty)} has no value, so there is no mean; leave it out with --drop.")
    names = named(table.names[at] for at in where)
    note = f"{counted(len(places[0]), 'missing value')} in {names} replaced by the mean of the column."
    return Table(values, table.names, table.row_names, (*table.notes, note))


def _places(values: Any, test: Any) -> tuple[Any, Any]:
    """Return rows and columns of the entries that pass a test, row by row."""
    if sp.issparse(values):
        stored = values.tocoo()
        at = np.flatnonzero(test(stored.data))
        order = np.lexsort((stored.col[at], stored.row[at]))
        return stored.row[at][order], stored.col[at][order]
    step, rows, columns = max(1, _BLOCK // max(1, values.shape[1])), [], []
    for start in range(0, len(values), step):
        found = np.nonzero(test(values[start : start + step]))
        rows.append(found[0] + start)
        columns.append(found[1])
    return np.concatenate(rows), np.concatenate(columns)


def _told(table: Table, places: tuple[Any, Any], noun: str) -> str:
    """Return how many cells there are, and where the first few are."""
    cells = [
        f"{_row(table, int(row))} of {quoted(table.names[column])}"
        for row, column in zip(places[0][:_CELLS], places[1][:_CELLS], strict=True)
    ]
    more = f" and {len(places[0]) - _CELLS:,} more" if len(places[0]) > _CELLS else ""
    return f"The table has {counted(len(places[0]), noun)}: {', '.join(cells)}{more}"


def _row(table: Table, row: int) -> str:
    return f"row {row + 1}" if table.row_names is None else f"row {quoted(table.row_names[row])}"
