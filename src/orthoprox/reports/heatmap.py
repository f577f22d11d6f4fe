"""The loadings as a table whose cells are coloured by sign and size, with the number in each."""

import numpy as np
from numpy.typing import NDArray

from orthoprox.reports.facts import Facts, Floats, finite
from orthoprox.reports.markup import Markup, bdi, element, named, scrolled
from orthoprox.reports.text import MINUS, count, number

_MOST = 300  # variables that are shown
_SHORT = 40  # variables that need no scrolling
_LEVELS = 4  # shades of each sign


def heatmap(facts: Facts) -> Markup:
    """Return the heat map of the variables that have a nonzero loading, in the order of the
    component that uses them most.
    """
    used = ordered(facts.components)
    shown, m = used[:_MOST], len(facts.names)
    if not len(shown):
        return element("p", "All loadings are zero.")
    levels = _levels(facts.components)
    heads = [element("th", j + 1, scope="col") for j in range(len(facts.components))]
    rows = [
        element(
            "tr",
            element("th", bdi(named(facts.names[i], i)), scope="row"),
            *[_cell(facts.components[j, i], int(levels[j, i])) for j in range(len(heads))],
        )
        for i in shown
    ]
    drawn = element(
        "table",
        element("caption", "Loadings: one row for each variable, one column for each component"),
        element("thead", element("tr", element("th", "variable", scope="col"), *heads)),
        element("tbody", *rows, data_marks="cells", data_columns=len(heads)),
        class_="heat",
        id="heat-map",
    )
    return element(
        "figure",
        _key(),
        scrolled("Loadings", drawn, tall=len(shown) > _SHORT),
        element("figcaption", _left_out(len(shown), len(used), m)),
    )


def ordered(components: Floats) -> NDArray[np.intp]:
    """Return the variables with a nonzero: first those that the first component weighs most, from
    the largest loading to the smallest, then those of the second, and so on.
    """
    values = finite(components)
    most = np.argmax(np.abs(values), axis=0)
    order = np.lexsort((-values[most, np.arange(values.shape[1])], most))
    return order[np.any(components[:, order] != 0, axis=0)]


def _levels(components: Floats) -> NDArray[np.intp]:
    """Return the shade of each loading, from -4 to 4: its size over the largest, in quarters."""
    values = finite(components)
    largest = np.max(np.abs(values))
    shades = np.ceil(_LEVELS * (np.abs(values) / (largest if largest > 0 else 1.0)))
    return (np.sign(values) * shades).astype(np.intp)


def _cell(value: float, level: int) -> Markup:
    if value == 0:
        return _ZERO
    kind = f"{'minus' if level < 0 else 'plus'}{abs(level)}" if level else None
    return element("td", number(value), class_=f"mark {kind}" if kind else "mark")


_ZERO = element("td", "·", class_="mark zero")


def _key() -> Markup:
    """Return the shades from the most negative to the most positive, with words at both ends."""
    kinds = [f"minus{k}" for k in range(_LEVELS, 0, -1)] + ["zero"] + [f"plus{k}" for k in range(1, _LEVELS + 1)]
    signs = [element("span", MINUS if kind[0] == "m" else "·" if kind == "zero" else "+", class_=kind) for kind in kinds]
    return element("p", "negative ", element("span", *signs, class_="key", aria_hidden="true"), " positive", class_="legend")


def _left_out(shown: int, used: int, m: int) -> str:
    said = [f"{count(used, 'variable')} of {m:,} {'has' if used == 1 else 'have'} a nonzero loading; a dot is a zero."]
    if used < m:
        said.append(f"Left out: {count(m - used, 'variable')} whose loadings are all zero.")
    if shown < used:
        said.append(f"The first {shown} are shown, by component and loading; the tables of the components name the others.")
    return " ".join(said)
