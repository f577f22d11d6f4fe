"""Elements of HTML and SVG. Text becomes markup only here, and is escaped on the way."""

import re
from html import escape
from typing import Any

from orthoprox.reports.text import cut, visible

_LONGEST = 80  # characters of a name that are shown
_VOID = frozenset({"meta", "link", "br", "col"})
_JOINT = re.compile(r"([_/.|-])(?=\w)")
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


class Markup(str):
    """A text that is markup already; every other string is escaped where it becomes a child."""

    __slots__ = ()


def escaped(value: object) -> str:
    """Return a value as markup: itself if it is, otherwise its text with all hidden characters
    spelled out.
    """
    return value if isinstance(value, Markup) else escape(visible(str(value)))


def joined(*children: object) -> Markup:
    """Return the children one after another; those that are None are left out."""
    return Markup("".join([escaped(child) for child in children if child is not None]))


def element(tag: str, *children: object, **attributes: Any) -> Markup:
    """Return an element: ``element("td", "a < b", class_="number")``.

    Of the names of attributes a last underscore is dropped, the others become hyphens; an attribute
    that is None is left out. Numbers are written with one decimal.
    """
    opened = [tag]
    for name, value in attributes.items():
        if value is not None:
            text = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escaped(value)
            opened.append(f'{name.removesuffix("_").replace("_", "-")}="{"0" if text == "-0" else text}"')
    start = f"<{' '.join(opened)}>"
    return Markup(start if tag in _VOID else f"{start}{joined(*children)}</{tag}>")


def named(name: str, index: int, noun: str = "variable") -> str:
    """Return the name of a variable or a row, counted from 0, as a text that is never empty or
    endless.
    """
    return cut(visible(name), _LONGEST) if name.strip() else f"({noun} {index + 1}, unnamed)"


def isolated(text: str) -> Markup:
    """Return a name for use within a sentence of an attribute or a title, where its direction of
    writing moves nothing else.
    """
    return Markup(f"{_ISOLATE}{escaped(text)}{_END}")


def bdi(text: str, **attributes: Any) -> Markup:
    """Return a name for use within a page: its direction of writing moves nothing else, and it may
    be broken after a hyphen, a slash and the like.
    """
    return element("bdi", Markup(_JOINT.sub(r"\1<wbr>", escaped(text))), **attributes)


def table(head: tuple[object, ...], rows: list[tuple[object, ...]], *, caption: object, numbers: int = 0) -> Markup:
    """Return a table whose first column names the rows and whose last columns are numbers."""
    text = len(head) - numbers
    kinds = [None] * text + ["number"] * numbers
    columns = [element("th", cell, scope="col", class_=kind) for cell, kind in zip(head, kinds, strict=True)]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *[element("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)],
        )
        for row in rows
    ]
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *columns)),
        element("tbody", *body),
    )


def folded(summary: object, *children: object) -> Markup:
    """Return what a reader may open."""
    return element("details", element("summary", summary), *children)


def scrolled(label: str, *children: object, tall: bool = False) -> Markup:
    """Return a box that scrolls by itself, so that the page does not, also by keyboard."""
    return element("div", *children, class_="scroll tall" if tall else "scroll", role="region", aria_label=label, tabindex="0")
