"""The biplot: rows as points and variables as arrows, in the plane of the first two components."""

import numpy as np
from numpy.typing import NDArray

from orthoprox.reports.axis import Axis
from orthoprox.reports.facts import Facts, Floats, finite
from orthoprox.reports.labels import Label, place, width
from orthoprox.reports.markup import Markup, bdi, element, isolated, joined, named, table
from orthoprox.reports.picture import figure, mark, marks, picture
from orthoprox.reports.text import MINUS, count, cut, number, percent

_POINTS, _ARROWS, _LISTED = 2000, 24, 100  # points and arrows that are drawn, arrows in the table
_LETTERS = 22  # of a label
_LEFT, _RIGHT, _TOP, _LOWEST, _HIGHEST = 46.0, 674.0, 30.0, 300.0, 500.0  # pixels; heights of the frame
_BEHIND = 0.6  # of the longer side of an axis: the room on its other side, where arrows may go
_REACH = 0.86  # of the room: the longest arrow


def biplot(facts: Facts, scores: Floats) -> Markup:
    """Return the biplot of two components at least, and the table of its arrows."""
    plane = scores[:, :2]
    whole = np.flatnonzero(np.all(np.isfinite(plane), axis=1))
    rows = whole[_evenly(len(whole), _POINTS)]
    x, y = _axes(plane[rows])
    loadings = finite(facts.components[:2].T)
    directions = loadings / (np.max(np.abs(loadings)) or 1.0)
    lengths = np.linalg.norm(directions, axis=1)
    order = np.argsort(-lengths, kind="stable")
    used = order[lengths[order] > 0]
    arrows = used[:_ARROWS]
    tips, origin = _tips(directions[arrows], x, y)
    names = [named(facts.names[i], int(i)) for i in arrows]
    frame = np.array([[_LEFT + 2, _TOP + 2], [_RIGHT - 2, y.start - 2]])
    places = place(tips, origin, [width(cut(name, _LETTERS)) for name in names], frame)
    shapes = [
        _arrow(origin, tip, label, name, loadings[i]) for i, tip, label, name in zip(arrows, tips, places, names, strict=True)
    ]
    dots = [_dot(facts, int(i), plane[i], x, y) for i in rows]
    drawn = picture(
        "biplot",
        "Biplot of components 1 and 2",
        f"{count(len(rows), 'row')} as points at their scores; {count(len(arrows), 'variable')} as arrows from the origin "
        f"towards their loadings. The table has the numbers.",
        *_frame(facts, x, y),
        marks("rows", *dots),
        marks("variables", *shapes),
        element("g", *[_name(name, label) for name, label in zip(names, places, strict=True)], class_="names"),
        size=(_RIGHT + 6, y.start + 46),
    )
    listed: list[tuple[object, ...]] = [
        (bdi(named(facts.names[i], int(i))), number(loadings[i, 0]), number(loadings[i, 1])) for i in used[:_LISTED]
    ]
    caption = _caption(len(rows), len(whole), len(arrows), len(used), sum(label is None for label in places))
    told = f"The {_LISTED} longest arrows" if len(used) > _LISTED else "The arrows"
    return figure(
        drawn,
        caption,
        table(("variable", "component 1", "component 2"), listed, caption=f"{told} of the biplot", numbers=2),
        beside=True,
    )


def _evenly(n: int, most: int) -> NDArray[np.intp]:
    """Return at most ``most`` of the numbers below n, evenly spaced."""
    return np.arange(n) if n <= most else np.arange(most) * n // most


def _axes(points: Floats) -> tuple[Axis, Axis]:
    """Return the axes, with one scale for both unless the picture would be too flat or high."""
    ends = np.array([np.min(points, axis=0, initial=0.0), np.max(points, axis=0, initial=0.0)])  # 2 x 2, 0 within
    ends[0], ends[1] = np.minimum(ends[0], -_BEHIND * ends[1]), np.maximum(ends[1], -_BEHIND * ends[0])
    ends[:, ends[1] == ends[0]] = [[-1.0], [1.0]]
    ends *= 1.06
    spans = ends[1] - ends[0]
    unit = (_RIGHT - _LEFT) / spans[0]
    height = float(np.clip(unit * spans[1], _LOWEST, _HIGHEST))
    if unit * spans[1] > _HIGHEST:
        unit = _HIGHEST / spans[1]
    wanted = np.array([_RIGHT - _LEFT, height]) / unit
    if np.all(wanted < 8 * spans):  # otherwise one axis would be a line
        middle = ends.mean(axis=0)
        ends = np.array([middle - wanted / 2, middle + wanted / 2])
    (left, low), (right, high) = ends.tolist()
    return Axis(left, right, _LEFT, _RIGHT), Axis(low, high, _TOP + height, _TOP)


def _tips(directions: Floats, x: Axis, y: Axis) -> tuple[Floats, Floats]:
    """Return where arrows end and begin: all by one factor, so that the longest stay within the
    frame.
    """
    origin = np.array([x(0.0), y(0.0)])
    steps = directions * [1.0, -1.0]  # upwards is less
    room = np.where(steps > 0, [x.end, y.start] - origin, origin - [x.start, y.end])
    with np.errstate(divide="ignore"):
        factors = room / np.abs(steps)
    return origin + _REACH * np.min(factors, initial=np.max(room, initial=1.0) * 1e6) * steps, origin


def _dot(facts: Facts, i: int, point: Floats, x: Axis, y: Axis) -> Markup:
    name = isolated(named(facts.row_names[i], i, "row")) if facts.row_names is not None else f"Row {i + 1}"
    return mark("circle", joined(name, f": {number(point[0])}, {number(point[1])}"), cx=x(point[0]), cy=y(point[1]), r=3.0)


def _arrow(origin: Floats, tip: Floats, label: Label | None, name: str, loading: Floats) -> Markup:
    """Return the shaft, the head and the line to a label that stands away."""
    told = joined(isolated(name), f": {number(loading[0])}, {number(loading[1])}")
    (x0, y0), (x1, y1) = origin.tolist(), tip.tolist()
    ahead = (tip - origin) / max(float(np.linalg.norm(tip - origin)), 1e-9)
    aside = np.array([-ahead[1], ahead[0]])
    head = " ".join(f"{px:.1f},{py:.1f}" for px, py in (tip, tip - 9 * ahead + 4 * aside, tip - 9 * ahead - 4 * aside))
    leader = None
    if label is not None and label.leader is not None:
        leader = element("line", x1=x1, y1=y1, x2=label.leader[0], y2=label.leader[1], class_="leader")
    shaft, hit = (element("line", x1=x0, y1=y0, x2=x1, y2=y1, class_=kind) for kind in ("shaft", "hit"))
    return element("g", element("title", told), leader, hit, shaft, element("polygon", points=head), class_="mark arrow")


def _name(name: str, label: Label | None) -> Markup | None:
    if label is None:
        return None
    return element("text", cut(name, _LETTERS), x=label.x, y=label.y + 4, class_="middle halo")


def _frame(facts: Facts, x: Axis, y: Axis) -> list[Markup]:
    """Return the frame, the lines through the origin, round scores and the names of the axes."""
    first, second = (f"component {j + 1} ({percent(facts.explained[j])})" for j in range(2))
    across = [joined(element("text", _score(tick), x=x(tick), y=y.start + 18, class_="middle")) for tick in x.ticks(7)]
    up = [element("text", _score(tick), x=_LEFT - 8, y=y(tick) + 4, class_="end") for tick in y.ticks(6)]
    return [
        element("rect", x=x.start, y=y.end, width=x.end - x.start, height=y.start - y.end, class_="frame"),
        element("line", x1=x.start, x2=x.end, y1=y(0.0), y2=y(0.0), class_="grid"),
        element("line", x1=x(0.0), x2=x(0.0), y1=y.start, y2=y.end, class_="grid"),
        element("g", *across, *up, class_="axis"),
        element("text", second, x=0, y=14, class_="soft"),
        element("text", first, x=x.end, y=y.start + 38, class_="end soft"),
    ]


def _score(tick: float) -> str:
    return f"{tick:g}".replace("-", MINUS)


def _caption(points: int, rows: int, arrows: int, used: int, unnamed: int) -> str:
    said = ["Points are rows at their scores; arrows are variables, along their loadings and all enlarged by one factor."]
    if points < rows:
        said.append(f"Drawn are {points:,} of {rows:,} rows, evenly spaced.")
    if arrows < used:
        said.append(f"Drawn are the {arrows} longest arrows of {used:,}.")
    if unnamed:
        said.append(f"{count(unnamed, 'arrow')} had no room for a name; hover or focus shows it.")
    return " ".join(said)
