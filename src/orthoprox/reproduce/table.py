"""Tables of text, in Markdown and in LaTeX."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"[-+−±×.,%()/<>~≈≤≥\s]*\d[-+−±×.,%()/<>~≈≤≥\seE\d]*|[-+−]?(inf|nan)|[-–—]*")  # noqa: RUF001
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "#%_&${}"},
    **{character: f"{{{character}}}" for character in "[]*"},  # behind the end of a line, \\ would take them as its own
    "−": "$-$",  # noqa: RUF001
    "±": r"$\pm$",
    "×": r"$\times$",  # noqa: RUF001
    "≈": r"$\approx$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "–": "--",  # noqa: RUF001
    "—": "---",
}


@dataclass(frozen=True)
class Table:
    """A table whose cells are plain text; its methods escape what has a meaning in their format.

    Groups are a line above the header, as pairs of a label, which may be empty, and the number of
    columns below it.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        columns = len(self.header)
        for k, row in enumerate(self.rows):
            if len(row) != columns:
                raise ValueError(f"{self.title!r}: row {k} has {len(row)} cells, {row}; the header needs {columns}.")
        counts = [count for _, count in self.groups]
        if self.groups and (sum(counts) != columns or min(counts) < 1):
            raise ValueError(f"{self.title!r}: groups of {counts} columns; needed are positive numbers with the sum {columns}.")

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether it holds numbers, dashes and empty cells alone."""
        columns = [[row[k] for row in self.rows] for k in range(len(self.header))]
        return tuple(any(column) and all(map(NUMBER.fullmatch, column)) for column in columns)

    @property
    def spans(self) -> tuple[tuple[str, int, int], ...]:
        """The groups with the columns at which they start and end, counted from 0, the end left
        out.
        """
        ends = [sum(count for _, count in self.groups[: k + 1]) for k in range(len(self.groups))]
        return tuple((label, end - count, end) for (label, count), end in zip(self.groups, ends, strict=True))

    def markdown(self) -> str:
        """Return the table in Markdown, without its title; a group's label stands before each of
        its headings.
        """
        labels = [label for label, count in self.groups for _ in range(count)] or [""] * len(self.header)
        header = [f"{label}: {name}" if label else name for label, name in zip(labels, self.header, strict=True)]
        return markdown(list(map(plain, header)), [list(map(plain, row)) for row in self.rows])

    def latex(self) -> str:
        """Return the table in LaTeX, with its title as the caption; it needs the package
        booktabs.
        """
        label = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{tex(self.title)}}}",
            rf"\label{{tab:{label}}}",
            rf"\begin{{tabular}}{{{''.join('r' if numeric else 'l' for numeric in self.numeric)}}}",
            r"\toprule",
            *self._above(),
            _line(self.header),
            r"\midrule",
            *map(_line, self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines)

    def _above(self) -> list[str]:
        """Return the line of the groups and the rules below it."""
        if not self.groups:
            return []
        cells = [rf"\multicolumn{{{end - start}}}{{c}}{{{tex(label)}}}" for label, start, end in self.spans]
        rules = [rf"\cmidrule(lr){{{start + 1}-{end}}}" for label, start, end in self.spans if label]
        return [" & ".join(cells) + r" \\", *([" ".join(rules)] if rules else [])]


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already; its columns are aligned in the source as
    well.
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines]
    return "\n".join([padded[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *padded[1:]])


def plain(text: str) -> str:
    """Return Markdown that shows the text as it is; an underscore within a word has no meaning and
    stays.
    """
    return re.sub(r"([\\`*<|~$\[\]]|(?<![^\W_])_|_(?![^\W_]))", r"\\\1", text.replace("\n", " "))


def tex(text: str) -> str:
    """Return LaTeX that shows the text as it is."""
    return "".join(LATEX.get(character, character) for character in text)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(tex, cells)) + r" \\"
