"""Draws docs/_drawn/house.png: the rooms of the library and which rooms they build on, read off the
imports of the source.

Run it as ``python -m docs.house``; the site draws it anew whenever it is built.
"""

import ast
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

import orthoprox

SOURCE = Path(orthoprox.__file__).parent
PICTURE = Path(__file__).parent / "_drawn" / "house.png"
FRONT = "front door"  # the modules at the root
WIDTH, HEIGHT = 1.75, 0.62  # of a room, where rooms of a floor are 2 apart and floors 1


def modules() -> dict[str, Path]:
    """Return the modules of the library by name."""
    paths = sorted(SOURCE.rglob("*.py"))
    names = [".".join(("orthoprox", *path.relative_to(SOURCE).with_suffix("").parts)) for path in paths]
    return {name.removesuffix(".__init__"): path for name, path in zip(names, paths, strict=True)}


def room(module: str) -> str:
    """Return the folder that a module lives in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (SOURCE / parts[1]).is_dir() else FRONT


def built_on() -> dict[str, set[str]]:
    """Return for each room the rooms that its modules import."""
    known = modules()
    found: dict[str, set[str]] = {room(name): set() for name in known}
    for name, path in known.items():
        if name == "orthoprox":  # the public names, gathered from everywhere
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("orthoprox"):
                full = {f"{node.module}.{alias.name}" for alias in node.names}
                found[room(name)] |= {room(other if other in known else str(node.module)) for other in full}
    return {name: others - {name} for name, others in found.items()}


def floors(rooms: dict[str, set[str]]) -> dict[str, int]:
    """Return the floor of each room: one above the highest room that it is built on."""

    @cache
    def floor(name: str) -> int:
        return max((1 + floor(other) for other in rooms[name]), default=0)

    return {name: floor(name) for name in rooms}


def direct(rooms: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the same without what follows from the rest: rooms that another room below imports."""

    @cache
    def below(name: str) -> frozenset[str]:
        return frozenset(rooms[name]).union(*(below(other) for other in rooms[name]))

    return {name: {one for one in others if not any(one in below(other) for other in others)} for name, others in rooms.items()}


def places(rooms: dict[str, set[str]]) -> dict[str, tuple[float, float]]:
    """Return where each room is drawn: on its floor, near the rooms that it is built on."""
    level, where = floors(rooms), {}
    for floor in range(max(level.values()) + 1):
        here = [name for name in rooms if level[name] == floor]
        middle = {name: _mean([where[other][0] for other in rooms[name]]) for name in here}
        for k, name in enumerate(sorted(here, key=lambda name: (middle[name], name))):
            where[name] = 2.0 * (k - (len(here) - 1) / 2), float(floor)
    return where


def draw() -> Figure:
    """Return the figure."""
    rooms = built_on()
    where, sizes = places(rooms), {name: 0 for name in rooms}
    for name, path in modules().items():
        sizes[room(name)] += len(path.read_text(encoding="utf-8").splitlines())
    highest = max(y for _, y in where.values())
    figure = Figure(figsize=(8.5, 0.75 * highest + 1.2), layout="constrained")
    axes = figure.subplots()
    for name, others in direct(rooms).items():
        for other in others:
            (x, y), (u, v) = where[name], where[other]
            bend = 0.0 if y - v == 1 else 0.25 if x + u < 0 else -0.25  # around the floors between
            arrow = {"arrowstyle": "-|>", "color": "0.55", "connectionstyle": f"arc3,rad={bend}", "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (u, v + HEIGHT / 2), (x, y - HEIGHT / 2), arrowprops=arrow, zorder=1)
    for name, (x, y) in where.items():
        _box(axes, name, sizes[name], x, y)
    widest = max(abs(x) for x, _ in where.values())
    axes.set(xlim=(-widest - 1.1, widest + 1.1), ylim=(-0.5, highest + 0.5))
    axes.set_axis_off()
    return figure


def _box(axes: Any, name: str, lines: int, x: float, y: float) -> None:
    colour = "#fdecd6" if name in (FRONT, "estimators", "cli", "reproduce") else "#ece7f5" if name[0] != "_" else "#f2f2f2"
    corner = x - WIDTH / 2, y - HEIGHT / 2
    style = {"boxstyle": "round,pad=0,rounding_size=0.1", "facecolor": colour, "edgecolor": "0.5", "zorder": 2}
    axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, **style))
    axes.text(x, y + 0.1, name, ha="center", va="center", fontsize=10, zorder=3)
    axes.text(x, y - 0.17, f"{lines:,} lines", ha="center", va="center", fontsize=7.5, color="0.35", zorder=3)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def write() -> None:
    """Draw the picture to its file."""
    PICTURE.parent.mkdir(exist_ok=True)
    draw().savefig(PICTURE, dpi=110, facecolor="white")


if __name__ == "__main__":
    write()
