"""The palette of the page: every text can be read on what lies behind it, in light and in dark."""

import re
from importlib.resources import files

import pytest

STYLE = files("orthoprox.reports").joinpath("style.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL))
TEXTS = {
    "text": "ground panel warn-panel",
    "soft": "ground panel",
    "link": "ground warn-panel",
    "good": "ground panel",
    "warn": "ground panel",
    "tip-text": "tip",
    "on-ours": "ours",
    "on-deep": "minus4 plus4",
    "on-strong": "minus3 plus3",
    "on-pale": "minus2 minus1 plus1 plus2",
}
SHAPES = ("ours", "pca", "point", "arrow", "soft")  # which are drawn on the ground


def luminance(colour):
    """The relative luminance of WCAG 2: sRGB made linear, weighed as the eye does."""
    shares = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_have_a_contrast_of_four_and_a_half_and_shapes_of_three(palette):
    for text, grounds in TEXTS.items():
        for ground in grounds.split():
            assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)
    for shape in SHAPES:
        assert contrast(palette[shape], palette["ground"]) >= 3, shape


def test_every_colour_stands_in_both_palettes_and_every_text_in_the_pairs_above():
    assert set(LIGHT) == set(DARK)
    rules = re.sub(r"(?s):root \{.*?\}", "", STYLE)
    assert not re.search(r"#[0-9a-f]{3,8}\b", rules)
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) == set(LIGHT)
    assert set(re.findall(r"[^-]color: var\(--([\w-]+)\)", rules)) <= set(TEXTS)
    assert set(re.findall(r"text[^{}]*\{ fill: var\(--([\w-]+)\)", rules)) <= set(TEXTS)


def test_colours_of_both_signs_differ_for_readers_who_see_no_red_or_no_green():
    """Blue against orange: the difference lies in the blue channel, which those readers have."""
    for palette in (LIGHT, DARK):
        for level in range(1, 5):
            minus, plus = palette[f"minus{level}"], palette[f"plus{level}"]
            assert int(minus[5:], 16) > int(plus[5:], 16) + 20
            assert int(plus[1:3], 16) > int(minus[1:3], 16) + 20


def test_dark_is_for_screens_and_print_has_rules_of_its_own():
    assert "@media screen and (prefers-color-scheme: dark)" in STYLE
    assert "@media print" in STYLE
