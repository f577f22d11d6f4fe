"""Pictures: SVG with a title and a description, marks that tell their values, legends."""

from typing import Any

from orthoprox.reports.axis import Axis
from orthoprox.reports.markup import Markup, element, folded, joined, scrolled
from orthoprox.reports.text import MINUS


def picture(name: str, title: str, description: str, *children: object, size: tuple[float, float]) -> Markup:
    """Return a picture in its own scrolling box. ``name`` is its id."""
    width, height = size
    drawn = element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-description"),
        *children,
        id=name,
        class_="wide" if width > 500 else None,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=float(width),
        height=float(height),
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-description",
    )
    return scrolled(title, drawn)


def mark(tag: str, told: object, **attributes: Any) -> Markup:
    """Return a shape that tells a value on hover and focus; the script makes its title a tip."""
    attributes["class_"] = f"mark {attributes.get('class_', '')}".rstrip()
    return element(tag, element("title", told), **attributes)


def marks(label: str, *children: object, **attributes: Any) -> Markup:
    """Return a group of marks: one stop of the tab key, with arrow keys from one to the next."""
    return element("g", *children, data_marks=label, **attributes)


def shares_axis(axis: Axis, left: float, right: float) -> Markup:
    """Return lines across the picture at round percentages, with their labels on the left."""
    lines = [
        joined(
            element("line", class_="grid", x1=left, x2=right, y1=axis(tick), y2=axis(tick)),
            element("text", f"{100 * tick:.4g}".replace("-", MINUS), x=left - 8, y=axis(tick) + 4, class_="end"),
        )
        for tick in axis.ticks(5)
    ]
    return element("g", *lines, class_="axis")


def legend(*entries: tuple[Markup, str]) -> Markup:
    """Return swatches, drawn in 26 x 14 pixels, with what they mean."""
    items = [
        element("li", element("svg", swatch, viewBox="0 0 26 14", width="26", height="14", aria_hidden="true"), meaning)
        for swatch, meaning in entries
    ]
    return element("ul", *items, class_="legend")


def figure(drawn: Markup, caption: str, alternative: Markup, above: Markup | None = None, *, beside: bool = False) -> Markup:
    """Return a picture with what explains it, and the table that says the same, below it or
    beside it.
    """
    numbers = folded("The same as a table", scrolled("Table", alternative, tall=True))
    words = element("div", element("figcaption", caption), numbers)
    return element("figure", element("div", above, drawn), words, class_="beside" if beside else None)
