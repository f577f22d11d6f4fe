"""Places for labels beside the tips of arrows, where they do not lie over one another."""

from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from orthoprox.reports.facts import Floats

HEIGHT = 17.0  # pixels of a line
_THIN, _BROAD, _LETTER, _DOUBLE = 4.5, 8.7, 7.4, 13.0  # pixels of a letter
_RADII = np.array([5.0, 14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 126.0])  # pixels from a tip to its label
_TURNS = np.deg2rad([0, 25, -25, 50, -50, 75, -75, 100, -100, 130, -130, 160, -160])  # from the arrow's direction
_TURNED, _ON_TIP, _ON_SHAFT = 9.0, 30.0, 20.0  # costs in pixels: of a radian, of what a label covers
_STEP = 18.0  # pixels between the points that stand for a shaft


class Label(NamedTuple):
    """A label around (x, y), and where the line from its tip ends if it needs one."""

    x: float
    y: float
    leader: tuple[float, float] | None


def width(text: str) -> float:
    """Return about how many pixels a label takes."""
    return sum(_letter(letter) for letter in text) + 8


def _letter(letter: str) -> float:
    if letter in "ijltfrI.,:;'|!()[] -":
        return _THIN
    if east_asian_width(letter) in "WF":
        return _DOUBLE
    return _BROAD if letter.isupper() or letter in "0123456789mw_" else _LETTER


def place(tips: Floats, origin: Floats, widths: list[float], frame: Floats) -> list[Label | None]:
    """Return a place for the label of each tip, or None where there is no room.

    Parameters
    ----------
    tips : array of shape (k, 2)
        Where the arrows end, in the order in which they choose.
    origin : array of shape (2,)
        Where they begin.
    widths : list of k floats
        The pixels that each label takes.
    frame : array of shape (2, 2)
        Upper left and lower right corner of the place for labels.
    """
    shafts = [origin + (tip - origin) * share for tip in tips for share in _shares(float(np.linalg.norm(tip - origin)))]
    points = np.array(shafts).reshape(-1, 2)
    taken = np.empty((0, 2)), np.empty((0, 2))  # centres and half sizes of the labels so far
    found: list[Label | None] = []
    for tip, pixels in zip(tips, widths, strict=True):
        half = np.array([pixels, HEIGHT]) / 2
        centres, costs = _candidates(tip - origin, half)
        centres = centres + tip
        costs = costs + _ON_TIP * _covered(centres, half, tips) + _ON_SHAFT * _covered(centres, half, points)
        inside = np.all((centres - half >= frame[0]) & (centres + half <= frame[1]), axis=1)
        apart = np.abs(centres[:, None] - taken[0]) >= half + taken[1]
        free = inside & np.all(np.any(apart, axis=2), axis=1)
        if not free.any():
            found.append(None)
            continue
        centre = centres[np.argmin(np.where(free, costs, np.inf))]
        nearest = np.clip(tip, centre - half, centre + half)
        far = np.linalg.norm(nearest - tip) > _RADII[1]
        found.append(Label(float(centre[0]), float(centre[1]), (float(nearest[0]), float(nearest[1])) if far else None))
        taken = np.vstack([taken[0], centre]), np.vstack([taken[1], half])
    return found


def _candidates(direction: Floats, half: Floats) -> tuple[Floats, Floats]:
    """Return centres of labels around a tip at 0, and what each costs before it covers anything."""
    angles = np.arctan2(direction[1], direction[0]) + _TURNS
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    reach = np.abs(unit) @ half  # of half the label, towards its tip
    centres = unit[:, None] * (_RADII + np.minimum(reach[:, None], np.max(half)))[:, :, None]
    costs = _RADII + _TURNED * np.abs(_TURNS)[:, None]
    return centres.reshape(-1, 2), costs.ravel()


def _covered(centres: Floats, half: Floats, points: Floats) -> NDArray[np.intp]:
    """Return how many of the points each label would cover."""
    found: NDArray[np.intp] = np.count_nonzero(np.all(np.abs(centres[:, None] - points) < half + 2, axis=2), axis=1)
    return found


def _shares(length: float) -> Floats:
    return np.arange(1.0, length // _STEP + 1) * (_STEP / max(length, _STEP))
