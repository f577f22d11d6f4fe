"""Labels of arrows: within the frame, never over one another, near their tips."""

import numpy as np
import pytest

from orthoprox.reports.labels import HEIGHT, place, width

FRAME = np.array([[0.0, 0.0], [700.0, 500.0]])
ORIGIN = np.array([350.0, 250.0])


def boxes(placed, widths):
    return [
        (label.x - w / 2, label.x + w / 2, label.y - HEIGHT / 2, label.y + HEIGHT / 2)
        for label, w in zip(placed, widths, strict=True)
        if label is not None
    ]


@pytest.mark.parametrize("on_the_axes", [False, True])
def test_labels_do_not_overlap_and_stay_within_the_frame(on_the_axes):
    random = np.random.default_rng(1)
    steps = random.standard_normal((24, 2)) * 90
    if on_the_axes:  # as the arrows of variables that one component alone uses
        steps[np.arange(24), np.arange(24) % 2] = 0
    tips = np.clip(ORIGIN + steps, 20, [680, 480])
    widths = [width("mean fractal dimens"[: 4 + k % 14]) for k in range(24)]
    placed = place(tips, ORIGIN, widths, FRAME)
    assert sum(label is None for label in placed) <= 2
    found = boxes(placed, widths)
    for k, (left, right, top, bottom) in enumerate(found):
        assert min(left, top) >= 0
        assert right <= 700
        assert bottom <= 500
        for other in found[:k]:
            assert right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top


def test_a_label_that_stands_away_has_a_line_to_its_tip():
    tips = np.tile([[500.0, 250.0]], (6, 1))
    placed = place(tips, ORIGIN, [60.0] * 6, FRAME)
    for label in placed:
        distance = np.hypot(max(abs(label.x - 500) - 30, 0), max(abs(label.y - 250) - HEIGHT / 2, 0))
        assert (label.leader is not None) == (distance > 14)
    assert placed[0].leader is None


def test_where_there_is_no_room_there_is_no_label():
    assert place(np.array([[10.0, 10.0]]), np.array([5.0, 5.0]), [90.0], np.array([[0.0, 0.0], [50.0, 20.0]])) == [None]
    assert place(np.empty((0, 2)), ORIGIN, [], FRAME) == []


def test_letters_of_double_width_take_more_room():
    assert width("温度") > width("ab")
    assert width("WWWW") > width("iiii")
