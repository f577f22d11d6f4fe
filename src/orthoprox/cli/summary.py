"""What ``orthoprox spca`` prints in the end: in colour on a terminal with rich, plain elsewhere."""

import sys
import textwrap
from importlib.util import find_spec
from typing import Any

import numpy as np

from orthoprox.cli.account import by_size
from orthoprox.reports import Facts
from orthoprox.reports.text import count, visible

_SPACE = "\N{NO-BREAK SPACE}"
_LOADINGS = 12  # of a component that are shown
_WIDTH, _NAME = 100, 40  # characters of a line, of a name


def show(told: Facts, where: str) -> None:
    """Print the components, what they explain and what is certified."""
    if sys.stdout.isatty() and find_spec("rich") is not None:
        _show_in_colour(told, where)
    else:
        print(plain(told, where))


def plain(told: Facts, where: str) -> str:
    """Return the summary as plain text."""
    lines = [heading(told), ""]
    for number, (loadings, share) in enumerate(zip(told.components, told.explained, strict=True), 1):
        lines.append(f"component {number}: {_percent(share)} of the variance, {_nonzeros(loadings)}")
        entries = [entry.replace(" ", _SPACE) for entry in _loadings(told, loadings)]  # not broken
        lines += [line.replace(_SPACE, " ") for line in _wrapped(", ".join(entries), "    ")]
    lines += ["", totals(told)]
    for text in closing(told):
        lines += _wrapped(text, "")
    return "\n".join([*lines, where])


def heading(told: Facts) -> str:
    """Return what was analysed."""
    nonzeros = int(np.count_nonzero(told.components))
    return (
        f"{visible(told.source)}: {count(told.n_rows, 'row')}, {count(len(told.names), 'variable')}; "
        f"{count(len(told.components), 'component')} with {nonzeros:,} of {told.components.size:,} loadings not zero"
    )


def totals(told: Facts) -> str:
    """Return the variance that is explained, beside that of principal components."""
    ours, theirs = float(np.sum(told.explained)), float(np.sum(told.pca_explained))
    return f"variance explained: {_percent(ours)} together; as many principal components, without zeros: {_percent(theirs)}"


def closing(told: Facts) -> list[str]:
    """Return status, certificate, time and notes, a sentence each."""
    notes = [f"note: {visible(note)}" for note in told.notes]
    return [f"status: {told.status}", f"certificate: {told.certificate}", f"time: {told.seconds:.1f} s", *notes]


def _loadings(told: Facts, loadings: Any) -> list[str]:
    """Return names and values, the largest first."""
    places = by_size(loadings)
    shown = [f"{_short(told.names[at])} {_signed(loadings[at])}" for at in places[:_LOADINGS]]
    return [*shown, f"and {len(places) - _LOADINGS:,} more"] if len(places) > _LOADINGS else shown


def _short(name: str) -> str:
    text = visible(name)
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"


def _signed(value: float) -> str:
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.0e}"


def _nonzeros(loadings: Any) -> str:
    return count(int(np.count_nonzero(loadings)), "nonzero loading")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if np.isfinite(share) else "-"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent or "    ", break_on_hyphens=False)


def _show_in_colour(told: Facts, where: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(title=Text(heading(told)), title_justify="left", title_style="bold", show_lines=True)
    for head in ("component", "variance", "cumulative", "by PCA"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("loadings that are not zero")
    ours, theirs = np.cumsum(told.explained), np.cumsum(told.pca_explained)
    for at, loadings in enumerate(told.components):
        entries = [Text(entry, style="red" if " -" in entry[-8:] else "") for entry in _loadings(told, loadings)]
        shares = told.explained[at], ours[at], theirs[at]
        table.add_row(str(at + 1), *map(_percent, shares), Text(", ").join(entries))
    console.print(table)
    console.print(Text(totals(told), style="bold"))
    for sentence in closing(told):
        console.print(Text(sentence, style="yellow" if sentence.startswith("status") and not told.converged else ""))
    console.print(Text(where, style="bold"))
