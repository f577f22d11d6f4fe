"""A table that is a covariance or correlation matrix."""

from typing import Any

import numpy as np

from orthoprox.tables.table import Table, counted, named

_EQUAL = 1e-6  # the share of the largest entry by which C and C' may differ, as printed digits do


def covariance(table: Table) -> Table:
    """Return the table as a symmetric matrix, its rows in the order of its columns; variables
    without variance are set aside.
    """
    C = table.values.toarray() if table.sparse else np.asarray(table.values, dtype=np.float64)
    rows, columns = C.shape
    if rows != columns:
        raise ValueError(
            f"--covariance needs a square matrix, but the table has {counted(rows, 'row')} and {counted(columns, 'column')} "
            "of numbers; leave --covariance out for a table of samples."
        )
    C = C[_order(table)]
    size = float(np.max(np.abs(C))) or 1.0
    apart = np.argwhere(np.abs(C - C.T) > _EQUAL * size)
    if len(apart):
        i, j = apart[0]
        raise ValueError(
            f"--covariance needs a symmetric matrix, but the entries of {named([table.names[i], table.names[j]])} "
            f"are {C[i, j]:g} and {C[j, i]:g}."
        )
    empty = C.diagonal() <= 0
    notes = table.notes
    if np.any(empty):
        without = [name for name, is_empty in zip(table.names, empty, strict=True) if is_empty]
        if np.all(empty):
            raise ValueError("There is no variance to explain: the diagonal has no positive entry.")
        notes += (f"{counted(len(without), 'variable')} without variance set aside: {named(without)}.",)
    names = tuple(name for name, is_empty in zip(table.names, empty, strict=True) if not is_empty)
    kept = ~empty
    return Table((C + C.T)[np.ix_(kept, kept)] / 2, names, names, notes)


def looks_like_covariance(table: Table) -> bool:
    """Tell whether a table has the form of a covariance matrix: square, symmetric, its largest
    entries on the diagonal.
    """
    rows, columns = table.values.shape
    if rows != columns or rows < 3 or table.sparse:
        return False
    C = table.values
    return bool(np.allclose(C, C.T, rtol=_EQUAL) and np.all(C.diagonal() > 0) and np.max(np.abs(C)) <= np.max(C.diagonal()))


def _order(table: Table) -> Any:
    """Return the rows in the order of the columns: by name if they have the same names."""
    if table.row_names is None:
        return slice(None)
    if sorted(table.row_names) != sorted(table.names):
        odd = [name for name in table.row_names if name not in table.names]
        raise ValueError(f"--covariance needs the same names for rows and columns, but no column is called {named(odd)}.")
    places = {name: row for row, name in enumerate(table.row_names)}
    return [places[name] for name in table.names]
