"""Tables: one reader for each format, which gives the whole table or blocks of its rows, and what
is done before a table can be analysed.

Imports the rooms _arrays, streams.
"""

from orthoprox.tables.choice import Choice
from orthoprox.tables.cleaning import cleaned
from orthoprox.tables.covariance import covariance
from orthoprox.tables.formats import READERS, reader
from orthoprox.tables.reader import Block, Reader
from orthoprox.tables.rows import row_blocks
from orthoprox.tables.table import Table

__all__ = ["READERS", "Block", "Choice", "Reader", "Table", "cleaned", "covariance", "reader", "row_blocks"]
