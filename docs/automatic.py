"""Fills the tables of docs/automatic.md that the code has: the transitions and the settings.

Run it as ``python -m docs.automatic``; with ``--check`` it writes nothing and fails where the page
is out of date.
"""

import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

from orthoprox._adaptive import settings, small, wide
from orthoprox.reproduce.table import markdown
from orthoprox.solvers.adaptive import BACK, TRANSITIONS

PAGE = Path(__file__).with_name("automatic.md")


def page(text: str) -> str:
    """Return the page with its tables filled."""
    numbers = {"settings": settings, "small": small, "wide": wide}
    tables = {"transitions": transitions()} | {name: settings_table(module) for name, module in numbers.items()}
    for name, table in tables.items():
        marks = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
        text = re.sub(marks, lambda found, table=table: found[1] + table.rstrip() + found[2], text, flags=re.DOTALL)
    return text


def transitions() -> str:
    """Return the table of the phases: what follows which verdict."""
    rows = (
        [phase, verdict.name.lower(), verdict.value, "the phase before" if following == BACK else following]
        for phase, verdicts in TRANSITIONS.items()
        for verdict, following in verdicts.items()
    )
    return markdown(["phase", "verdict", "because", "next phase"], rows)


def settings_table(module: ModuleType) -> str:
    """Return the table of the numbers of a module, with the comments of the source as their
    meaning.
    """
    said, defaults = dict(comments(module)), getattr(module, module.__name__.rpartition(".")[2].upper())
    rows = ([f"`{field.name}`", shown(getattr(defaults, field.name)), said[field.name]] for field in fields(defaults))
    return markdown(["setting", "value", "meaning and unit"], rows)


def comments(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yield the fields of the settings with the comments on their lines."""
    path = Path(str(module.__file__))
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            field = re.match(r"    (\w+): ", token.line)
            if token.type == tokenize.COMMENT and field:
                yield field[1], token.string.lstrip("# ")


def shown(value: Any) -> str:
    """Return a value, or the entries of a tuple."""
    return ", ".join(map(shown, value)) if isinstance(value, tuple) else f"{value:g}"


def main(arguments: list[str]) -> None:
    """Fill the page, or check it."""
    text = PAGE.read_text()
    if "--check" not in arguments:
        PAGE.write_text(page(text))
    elif page(text) != text:
        sys.exit(f"{PAGE.name} is out of date; run make docs.")


if __name__ == "__main__":
    main(sys.argv[1:])
