"""Variance against nonzeros along a path of solutions, with this fit and PCA as references."""

import numpy as np

from orthoprox.reports.axis import Axis
from orthoprox.reports.facts import Facts, Floats
from orthoprox.reports.markup import Markup, element, joined, table
from orthoprox.reports.picture import figure, legend, mark, marks, picture, shares_axis
from orthoprox.reports.text import count, percent

_LEFT, _RIGHT, _TOP, _FLOOR, _HEIGHT = 38.0, 430.0, 40.0, 250.0, 292.0  # pixels
_FAR = 30  # times the fewest nonzeros: from there on the axis is logarithmic


def curve(facts: Facts, nonzeros: Floats, shares: Floats) -> Markup:
    """Return the picture of a path, which has a point at least, and its table."""
    here, own, pca = int(facts.nonzeros.sum()), facts.total, facts.pca_total
    order = np.lexsort((shares, nonzeros))
    nonzeros, shares = nonzeros[order], shares[order]
    ends = [*nonzeros, here] if here else nonzeros
    low, high = float(min(ends)), float(max(ends))
    far = low > 0 and high > _FAR * low
    margin = 0.0 if far else 0.02 * (high - low)
    x = Axis(low - margin, high + margin, _LEFT + 6, _RIGHT - 8, logarithmic=far)
    tops = [value for value in (*shares, own, pca) if np.isfinite(value)]
    y = Axis(0.0, max(*tops, 1e-9), _FLOOR, _TOP)
    points = [(x(k), y(share)) for k, share in zip(nonzeros, shares, strict=True)]
    dots = [
        mark("circle", f"{count(int(k), 'nonzero')}: {percent(share)} of the variance", cx=px, cy=py, r=4.0, class_="dot ours")
        for k, share, (px, py) in zip(nonzeros, shares, points, strict=True)
    ]
    whole = [tick for tick in x.ticks(6) if tick == round(tick)]
    labels = [element("text", f"{tick:,.0f}", x=x(tick), y=_FLOOR + 18, class_="middle") for tick in whole]
    drawn = picture(
        "path",
        "Variance against nonzeros",
        f"A line from {count(int(nonzeros[0]), 'nonzero')} with {percent(shares[0])} of the variance to "
        f"{count(int(nonzeros[-1]), 'nonzero')} with {percent(shares[-1])}; this fit has {here:,} with {percent(own)}, "
        f"PCA explains {percent(pca)}.",
        element("text", "% of variance", x=0, y=12, class_="soft"),
        shares_axis(y, _LEFT, _RIGHT),
        *_reference(y, pca),
        element("polyline", points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points), class_="line ours"),
        marks("path", *dots, _this_fit(x, y, here, own)),
        element("line", class_="rule", x1=_LEFT, x2=_RIGHT, y1=_FLOOR, y2=_FLOOR),
        element("g", *labels, class_="axis"),
        element("text", "nonzero loadings", x=(_LEFT + _RIGHT) / 2, y=_HEIGHT - 4, class_="middle soft"),
        size=(_RIGHT + 14, _HEIGHT),
    )
    rows: list[tuple[object, ...]] = [(f"{int(k):,}", percent(share)) for k, share in zip(nonzeros, shares, strict=True)]
    return figure(
        drawn,
        f"Each point is a solution with that many nonzeros. The ring is this fit: {here:,} with {percent(own)}.",
        table(("nonzeros", "share"), rows, caption="Variance against nonzeros", numbers=1),
        _legend(),
    )


def _reference(y: Axis, pca: float) -> list[Markup]:
    if not np.isfinite(pca):
        return []
    return [
        element("line", class_="line pca", x1=_LEFT, x2=_RIGHT, y1=y(pca), y2=y(pca)),
        element("text", f"PCA {percent(pca)}", x=_LEFT + 6, y=y(pca) - 7, class_="halo"),
    ]


def _legend() -> Markup:
    line, centre = {"x1": 0.0, "x2": 26.0, "y1": 7.0, "y2": 7.0}, {"cx": 13.0, "cy": 7.0}
    path = joined(element("line", class_="line ours", **line), element("circle", class_="dot ours", r=4.0, **centre))
    return legend(
        (path, "solutions along the path"),
        (element("circle", class_="ring", r=5.5, **centre), "this fit"),
        (element("line", class_="line pca", **line), "PCA, all loadings"),
    )


def _this_fit(x: Axis, y: Axis, nonzeros: int, share: float) -> Markup | None:
    if not nonzeros or not np.isfinite(share):
        return None
    told = f"This fit: {count(nonzeros, 'nonzero')}, {percent(share)} of the variance"
    return mark("circle", told, cx=x(nonzeros), cy=y(share), r=8.0, class_="ring")
