"""Each component as a table of its nonzero loadings by name, the largest first."""

import numpy as np

from orthoprox.reports.facts import Facts
from orthoprox.reports.markup import Markup, bdi, element, folded, named, scrolled
from orthoprox.reports.text import count, number, percent

_OPEN = 12  # loadings of a component that are shown at once
_MOST = 20_000  # loadings on the page


def loadings(facts: Facts) -> Markup:
    """Return one card for each component."""
    most = max(_OPEN, _MOST // len(facts.components))
    return element("div", *[_card(facts, j, most) for j in range(len(facts.components))], class_="cards")


def _card(facts: Facts, j: int, most: int) -> Markup:
    component = facts.components[j]
    order = np.argsort(-np.abs(np.nan_to_num(component)), kind="stable")
    order = order[component[order] != 0]
    used, m = len(order), len(component)
    largest = float(np.max(np.abs(np.nan_to_num(component)), initial=0.0))
    rows = [_row(facts, j, i, largest) for i in order[:most]]
    share, pca = percent(facts.explained[j]), percent(facts.pca_explained[j])
    parts: list[object] = [
        element("h3", f"Component {j + 1}"),
        element("p", f"{share} of the variance (PCA's: {pca}), {count(used, 'nonzero')} of {m:,}", class_="soft"),
    ]
    if not used:
        parts.append(element("p", "All loadings are zero."))
    else:
        parts.append(_table(f"Loadings of component {j + 1}", rows[:_OPEN]))
    if len(rows) > _OPEN:
        more = _table(f"Smaller loadings of component {j + 1}", rows[_OPEN:])
        parts.append(folded(f"{len(rows) - _OPEN:,} more", scrolled(f"Smaller loadings of component {j + 1}", more, tall=True)))
    if used > most:
        parts.append(element("p", f"Left out: the {used - most:,} smallest loadings.", class_="soft"))
    return element("article", *parts)


def _row(facts: Facts, j: int, i: int, largest: float) -> Markup:
    value = float(facts.components[j, i])
    return element(
        "tr",
        element("th", bdi(named(facts.names[i], int(i))), scope="row"),
        element("td", _bar(value, largest), class_="bar"),
        element("td", number(value), class_="number"),
    )


def _bar(value: float, largest: float) -> Markup:
    """Return a bar to the left of the middle for a negative loading, to the right for a positive
    one.
    """
    length = 38 * abs(value) / largest if largest > 0 and np.isfinite(value) else 0.0
    kind = "minus" if value < 0 else "plus"
    return element(
        "svg",
        element("rect", x=40.0 - length if value < 0 else 40.0, y=2.0, width=length, height=10.0, class_=kind),
        element("line", x1=40.0, x2=40.0, y1=0.0, y2=14.0, class_="rule"),
        viewBox="0 0 80 14",
        width="80",
        height="14",
        aria_hidden="true",
    )


def _table(caption: str, rows: list[Markup]) -> Markup:
    heads = (("variable", None), ("", "bar"), ("loading", "number"))
    head = [element("th", words, scope="col", class_=kind) if words else element("td", class_=kind) for words, kind in heads]
    return element(
        "table",
        element("caption", caption, class_="hidden"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
    )
