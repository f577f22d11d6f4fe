"""Each component as a table of its nonzero loadings by name, the largest first."""

from collections.abc import Sequence

import numpy as np

from orthoprox.reports.facts import Facts, finite
from orthoprox.reports.markup import Markup, bdi, element, folded, named, scrolled
from orthoprox.reports.text import count, number, percent

_OPEN, _FOLDED = 12, 4  # loadings of a component that are shown at once; more if few would be left
_MOST = 20_000  # loadings on the page
_BREAK = element("br")


def loadings(facts: Facts) -> Markup:
    """Return one card for each component."""
    most = max(_OPEN, _MOST // len(facts.components))
    return element("div", *[_card(facts, j, most) for j in range(len(facts.components))], class_="cards")


def _card(facts: Facts, j: int, most: int) -> Markup:
    values = finite(facts.components[j])
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[facts.components[j, order] != 0]
    used, m = len(order), len(values)
    listed = order[:most]
    shown = len(listed) if len(listed) < _OPEN + _FOLDED else _OPEN
    share, pca = percent(facts.explained[j]), percent(facts.pca_explained[j])
    parts: list[object] = [
        element("h3", f"Component {j + 1}"),
        element("p", f"{share} of the variance, PCA's {pca}", _BREAK, f"{count(used, 'nonzero')} of {m:,}", class_="soft"),
    ]
    if not used:
        parts.append(element("p", "All loadings are zero."))
    else:
        largest = float(np.abs(values[order[0]])) or 1.0
        rows = [(*_cells(facts, j, i), _bar(values[i] / largest)) for i in listed[:shown]]
        parts.append(_table(f"Loadings of component {j + 1}", rows))
    if shown < len(listed):
        caption = f"Smaller loadings of component {j + 1}"
        more = _table(caption, [_cells(facts, j, i) for i in listed[shown:]])
        parts.append(folded(f"{len(listed) - shown:,} more", scrolled(caption, more, tall=True)))
    if used > most:
        parts.append(element("p", f"Left out: the {used - most:,} smallest loadings.", class_="soft"))
    return element("article", *parts)


def _cells(facts: Facts, j: int, i: int) -> tuple[Markup, Markup]:
    name, value = named(facts.names[i], int(i)), number(facts.components[j, i])
    return element("th", bdi(name), scope="row"), element("td", value, class_="number")


def _bar(size: float) -> Markup:
    """Return a bar to the left of the middle for a negative loading, to the right for a positive
    one; the largest has size 1.
    """
    length, kind = 27 * abs(float(size)), "minus" if size < 0 else "plus"
    drawn = element(
        "svg",
        element("rect", x=28.0 - length if size < 0 else 28.0, y=2, width=length, height=10, class_=kind),
        element("line", x1=28, x2=28, y1=0, y2=14, class_="rule"),
        viewBox="0 0 56 14",
        width="56",
        height="14",
        aria_hidden="true",
    )
    return element("td", drawn, class_="bar")


def _table(caption: str, rows: Sequence[tuple[Markup, ...]]) -> Markup:
    """Return a table of names, loadings and, if there are any, bars."""
    head = [element("th", "variable", scope="col"), element("th", "loading", scope="col", class_="number"), element("td")]
    return element(
        "table",
        element("caption", caption, class_="hidden"),
        element("thead", element("tr", *head[: len(rows[0])])),
        element("tbody", *[element("tr", *cells) for cells in rows]),
    )
