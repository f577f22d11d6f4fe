"""How a file of text is laid out: encoding, separator, decimal mark, header; guessed from its
beginning where nobody says.
"""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice

from orthoprox.tables.cells import decimal_mark, is_missing, number
from orthoprox.tables.choice import Choice
from orthoprox.tables.source import Source
from orthoprox.tables.table import counted, named

SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "spaces"}  # by preference
_WORDS = {"tab": "\t", "\\t": "\t", "semicolon": ";", "bar": "|", "pipe": "|", "comma": ",", "space": " "}
_SAMPLE = 300  # lines that tell the layout
_INDEX = re.compile(r"|unnamed: ?0|index|id|row_?id|sample_?id|row[._ ]?names?|#", re.IGNORECASE)
_UTF16 = b"\xff\xfe", b"\xfe\xff"
_OTHERS = {  # what is no table, by its first bytes
    "a JSON file": re.compile(rb"\s*[\[{]\s*[\[{\"]"),
    "a page of HTML or XML": re.compile(rb"\s*<(!doctype|html|\?xml)", re.IGNORECASE),
    "a PDF file": re.compile(rb"%PDF-"),
    "an Excel workbook": re.compile(rb"\xd0\xcf\x11\xe0"),
}
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\x1a")


@dataclass(frozen=True)
class Layout:
    """The form of a file of text."""

    encoding: str
    separator: str
    decimal: str
    names: tuple[str, ...] | None  # None if there is no header
    width: int  # cells of a row
    before: int  # rows before the first row of numbers: comments, the header
    index: int | None  # the column that names the rows, if the header tells


def layout(source: Source, choice: Choice) -> Layout:
    """Return the form of a file, as it is asked for or as its beginning tells."""
    encoding = choice.encoding or _encoding(source)
    with _opened(source, encoding) as file:
        first = file.readline().strip().lower()
        file.seek(0)
        lines = list(islice(file, _SAMPLE + 1))
        if len(lines) > _SAMPLE:
            lines.pop()
    declared = first[4:5] or "\t" if first.startswith("sep=") else None
    separator = _asked(choice.separator) or declared or _separator(lines)
    sample = [row for row in rows_of(lines, separator) if row]
    comments = _comments(sample) + (1 if declared else 0)
    sample = sample[comments:]
    if not sample:
        raise ValueError(f"{source.label} has no rows of cells; it needs a line of names and rows of numbers.")
    body = sample[1:] or sample
    width = Counter(len(row) for row in body).most_common(1)[0][0]
    decimal = choice.decimal or decimal_mark((cell for row in body for cell in row), separator)
    header = _is_header(sample, width, decimal) if choice.header is None else choice.header
    if not header:
        return Layout(encoding, separator, decimal, None, len(sample[0]), comments, None)
    names, index = _names(sample[0], body, width)
    if len(names) != width and all(len(row) == width for row in body):
        raise ValueError(
            f"{source.label} begins with a line of {counted(len(names), 'cell')}, {named(names)}, but the lines below have "
            f"{width}; remove this line, or write the name of each column there."
        )
    return Layout(encoding, separator, decimal, names, len(names), comments + 1, index)


def rows_of_file(source: Source, form: Layout) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows after the header, each with the number of its line; blank lines and rows
    without any cell filled are passed over.
    """
    with _opened(source, form.encoding) as file:
        reader = csv.reader(_lines(file, form.separator), delimiter=form.separator, skipinitialspace=form.separator == " ")
        left = form.before
        try:
            for row in reader:
                if left and row:
                    left -= 1
                elif row and any(row):
                    yield reader.line_num, row
        except UnicodeDecodeError as error:
            raise ValueError(_undecodable(source, error)) from error
        except csv.Error as error:
            raise ValueError(f"{source.label}, line {reader.line_num}: {error}. Check its quotes.") from error


def rows_of(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Yield the cells of lines."""
    return csv.reader(_lines(lines, separator), delimiter=separator, skipinitialspace=separator == " ")


def _lines(lines: Iterable[str], separator: str) -> Iterable[str]:
    """Return the lines; those with spaces between their cells without spaces around them."""
    return (f"{line.strip()}\n" for line in lines) if separator == " " else lines


def _opened(source: Source, encoding: str) -> TextIOWrapper:
    """Return a source as text, with the line ends as they are, which quoted cells may have."""
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise ValueError(f"--encoding is {encoding!r}, which Python does not know; use utf-8 or latin-1, say.") from error
    return TextIOWrapper(source.open(), encoding=encoding, newline="")


def _encoding(source: Source) -> str:
    """Return the encoding; raise where the bytes are no text in Unicode."""
    start = source.start
    if start.startswith(_UTF16):
        return "utf-16"
    other = next((name for name, pattern in _OTHERS.items() if pattern.match(start)), None)
    if other:
        raise ValueError(f"{source.label} is {other}, not a table; export the table as csv.")
    if b"\0" in start or sum(byte in _CONTROLS for byte in start) > len(start) / 50:
        raise ValueError(f"{source.label} is a binary file of unknown kind, not a table; export the table as csv.")
    try:
        with source.open() as file:
            start = file.read(2**20)
        start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(start) - error.start > 3:  # not a character that the end of the sample cuts
            raise ValueError(_undecodable(source, error)) from error
    return "utf-8-sig"


def _undecodable(source: Source, error: UnicodeDecodeError) -> str:
    byte = error.object[error.start]
    return f"{source.label} is not UTF-8: it has the byte 0x{byte:02x}. If it is of an older program, add --encoding latin-1."


def _asked(separator: str | None) -> str | None:
    if separator is None:
        return None
    found = _WORDS.get(separator.lower(), separator)
    if len(found) != 1:
        raise ValueError(f"--separator is {separator!r}; it needs one character, or one of {', '.join(_WORDS)}.")
    return found


def _separator(lines: Sequence[str]) -> str:
    """Return the separator that gives the most lines the same number of cells, at least two; of
    equals, the first in the order of preference.
    """
    best, most = ",", 0.0
    for separator in SEPARATORS:
        try:
            counts = Counter(len(row) for row in rows_of(lines, separator) if row)
        except csv.Error:
            continue
        cells, times = counts.most_common(1)[0] if counts else (1, 0)
        share = times / max(counts.total(), 1)
        if cells > 1 and share > most + 0.05:
            best, most = separator, share
    return best


def _comments(sample: Sequence[Sequence[str]]) -> int:
    """Return how many rows at the top are comments. They begin with "#"; the last of them is a
    header if numbers follow it, as many as it has cells.
    """
    marked = 0
    while marked < len(sample) and sample[marked][0].startswith("#"):
        marked += 1
    if marked and marked < len(sample):
        after = sample[marked]
        numeric = any(number(cell) is not None for cell in after)
        marked -= numeric and len(sample[marked - 1]) == len(after)
    return marked


def _is_header(sample: Sequence[Sequence[str]], width: int, decimal: str) -> bool:
    """Tell whether the first row has names: it has another width than the rest or no number, a
    column with text above numbers, or whole numbers above fractions, or it counts columns.
    """
    first, body = sample[0], [row for row in sample[1:] if len(row) == width]
    values = [number(cell, decimal) for cell in first]
    if len(sample) == 1:
        return all(value is None for value in values)
    if len(first) != width or all(value is None or is_missing(cell) for value, cell in zip(values, first, strict=True)):
        return True
    below = [[number(row[at], decimal) for row in body] for at in range(width)]
    numeric = [at for at in range(width) if all(value is not None for value in below[at])]
    if any(values[at] is None for at in numeric):
        return True
    names = [value for value in values if value is not None and value == value]
    whole = all(value.is_integer() for value in names) and len(set(names)) == len(names)
    if whole and len(names) > 2 and names in ([*range(len(names))], [*range(1, len(names) + 1)]):
        return True
    fractions = [value for at in numeric for value in below[at] if value is not None and value == value]
    return bool(whole and fractions and None in values and not all(value.is_integer() for value in fractions))


def _names(header: Sequence[str], body: Sequence[Sequence[str]], width: int) -> tuple[tuple[str, ...], int | None]:
    """Return the names of all columns, and the column that they say names the rows."""
    names = [name.strip() for name in header]
    names[0] = names[0].removeprefix("#").strip() or names[0]
    index = 0 if _INDEX.fullmatch(names[0]) and width > 1 else None
    if width == len(names) + 1:
        if all(not row[-1] for row in body if len(row) == width):  # a separator at the end of each row
            names.append("")
        else:  # R leaves out the name of the first column
            names.insert(0, "")
            index = 0
    return tuple(name or f"column {at + 1}" for at, name in enumerate(names)), index
