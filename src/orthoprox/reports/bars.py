"""Explained variance: a bar for each component and their sum so far, with PCA's beside them."""

import numpy as np

from orthoprox.reports.axis import Axis
from orthoprox.reports.facts import Facts, Floats, finite
from orthoprox.reports.markup import Markup, element, joined, table
from orthoprox.reports.picture import figure, legend, mark, marks, picture, shares_axis
from orthoprox.reports.text import count, percent

_MOST = 60  # components that are drawn
_ROOM = 30.0  # pixels of a bar, in width and height, for a number in it
_LEFT, _TOP, _FLOOR, _HEIGHT = 38.0, 24.0, 250.0, 292.0  # pixels
_NARROW, _WIDE = 18.0, 392.0  # of one component, of all components


def explained(facts: Facts, *, alone: bool) -> Markup:
    """Return the picture of the explained variance, with its legend and its table, which has room
    beside it if it stands alone.
    """
    n = len(facts.explained)
    shown = min(n, _MOST)
    ours, theirs = finite(facts.explained), finite(facts.pca_explained)
    sums, pca_sums = np.cumsum(ours), np.cumsum(theirs)
    step = max(_NARROW, _WIDE / shown)
    right = _LEFT + step * shown
    highest = max(sums[:shown].max(), pca_sums[:shown].max(), ours.max(), 0.0)
    axis = Axis(0.0, highest if highest > 0 else 1.0, _FLOOR, _TOP + 12)
    places = [_LEFT + step * (j + 0.5) for j in range(shown)]
    bars = [_pair(facts, axis, j, x=places[j], step=step) for j in range(shown)]
    every = -(-shown // 20)  # components from one label to the next
    labels = [element("text", j + 1, x=places[j], y=_FLOOR + 18, class_="middle") for j in range(0, shown, every)]
    drawn = picture(
        "explained-variance",
        "Explained variance",
        f"{count(n, 'component')}: one bar each for its share of the variance beside that of PCA, and lines for the sums, "
        f"which end at {percent(facts.total)} and, of PCA, at {percent(facts.pca_total)}.",
        element("text", "% of variance", x=0, y=12, class_="soft"),
        shares_axis(axis, _LEFT, right),
        marks("bars", *bars),
        _sums("PCA, sum of the first", pca_sums, axis, places, kind="pca"),
        _sums("Sum of the first", sums, axis, places, kind="ours"),
        element("line", class_="rule", x1=_LEFT, x2=right, y1=_FLOOR, y2=_FLOOR),
        element("g", *labels, class_="axis"),
        element("text", "component", x=(_LEFT + right) / 2, y=_HEIGHT - 4, class_="middle soft"),
        size=(right + 14, _HEIGHT),
    )
    columns = (facts.explained, np.cumsum(facts.explained), facts.pca_explained, np.cumsum(facts.pca_explained))
    rows: list[tuple[object, ...]] = [(j + 1, *[percent(values[j]) for values in columns]) for j in range(n)]
    head = ("component", "share", "sum", "PCA's share", "PCA's sum")
    left_out = f" The picture shows the first {shown} of {n} components." if shown < n else ""
    return figure(
        drawn,
        f"The share of each component, and of all up to it.{left_out}",
        table(head, rows, caption="Explained variance", numbers=4),
        _legend(),
        beside=alone,
    )


def _pair(facts: Facts, axis: Axis, j: int, *, x: float, step: float) -> Markup:
    """Return the bar of component j and that of PCA beside it."""
    wide, narrow = min(0.46 * step, 46.0), min(0.28 * step, 28.0)
    told = f"Component {j + 1}: {percent(facts.explained[j])} of the variance; PCA's: {percent(facts.pca_explained[j])}"
    drawn = []
    left = x - (wide + narrow + 2) / 2
    places = (("ours", facts.explained[j], left, wide), ("pca", facts.pca_explained[j], left + wide + 2, narrow))
    for kind, share, start, width in places:
        height = axis(0.0) - axis(max(share, 0.0)) if np.isfinite(share) else 0.0
        drawn.append(element("rect", class_=f"bar {kind}", x=start, y=_FLOOR - height, width=width, height=height))
    if wide >= _ROOM and _FLOOR - axis(finite(facts.explained)[j]) >= _ROOM:
        said = f"{100 * facts.explained[j]:.1f}"
        drawn.append(element("text", said, x=left + wide / 2, y=_FLOOR - 8, class_="middle inside"))
    return element("g", element("title", told), *drawn, class_="mark")


def _sums(words: str, sums: Floats, axis: Axis, places: list[float], *, kind: str) -> Markup:
    """Return the line of the sums, with a mark at each component."""
    points = [(x, axis(share)) for x, share in zip(places, sums, strict=False)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = []
    for j, (x, y) in enumerate(points):
        told = f"{words} {count(j + 1, 'component')}: {percent(sums[j])} of the variance"
        dots.append(mark("circle", told, cx=x, cy=y, r=4.0, class_=f"dot {kind}"))
    return joined(element("polyline", points=path, class_=f"line {kind}"), marks(words, *dots))


def _legend() -> Markup:
    line = {"x1": 0.0, "x2": 26.0, "y1": 7.0, "y2": 7.0}
    dot = {"cx": 13.0, "cy": 7.0, "r": 4.0}
    return legend(
        (element("rect", class_="bar ours", x=1.0, y=1.0, width=24.0, height=12.0), "share"),
        (element("rect", class_="bar pca", x=1.0, y=1.0, width=24.0, height=12.0), "share, PCA"),
        (joined(element("line", class_="line ours", **line), element("circle", class_="dot ours", **dot)), "sum"),
        (joined(element("line", class_="line pca", **line), element("circle", class_="dot pca", **dot)), "sum, PCA"),
    )
