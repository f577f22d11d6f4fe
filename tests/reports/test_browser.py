"""The page in headless Chromium: no error, no request, nothing too wide, names and values on hover
and focus.
"""

import numpy as np
import pytest

from devtools import opened
from orthoprox.reports import page
from reported import facts

pytestmark = pytest.mark.extended

NAMES = ("alcohol", "<img src=x onerror=console.error(1)>", "ash", "\u202ehue", "x" * 300, "never used")
SIZES = """
[...document.querySelectorAll("svg, .heat")].map((picture) => picture.getBoundingClientRect())
  .map((box) => [box.width, box.height])
"""
# The contrast of each text with what lies behind it: the nearest background, or the ground for
# pictures, of which only the numbers inside of bars lie on something else.
CONTRAST = """
(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => numbers(colour).slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    if (node.matches(".inside")) return getComputedStyle(document.querySelector(".bar.ours")).fill;
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest("script, title, desc")) continue;
    const style = getComputedStyle(node);
    const [a, b] = [luminance(node.namespaceURI.endsWith("svg") ? style.fill : style.color), luminance(behind(node))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push([node.localName, node.getAttribute("class"), walker.currentNode.data, contrast]);
  }
  return low;
})()
"""


@pytest.fixture(scope="module")
def browser():
    with opened() as browser:
        yield browser


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page(facts(names=NAMES, row_names=tuple(f"<b>row {k}" for k in range(40)))), encoding="utf-8")
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_shows_all_it_has_and_asks_for_nothing(browser, path, width, dark):
    browser.open(path, width=width, dark=dark)
    assert browser.messages == []
    assert [address for address in browser.requests if not address.startswith("data:")] == [path.as_uri()]
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    sizes = browser.evaluate(SIZES)
    assert len(sizes) > 4
    assert np.min(sizes) > 0
    assert browser.evaluate("document.images.length") == 0
    shown = browser.evaluate("document.body.innerText")
    assert all(name in shown for name in ("alcohol", "<img src=x onerror=console.error(1)>", "⟨U+202E⟩hue"))
    assert browser.evaluate(CONTRAST) == []
    assert browser.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == dark


@pytest.mark.parametrize(
    "odd", [{"n": 1, "names": ("x",)}, {"n": 80}, {"n": 10, "names": [f"gene{i}" * 9 for i in range(3000)]}]
)
def test_odd_shapes_are_not_too_wide_for_a_phone(browser, tmp_path, odd):
    path = tmp_path / "odd.html"
    path.write_text(page(facts(**odd)), encoding="utf-8")
    browser.open(path, width=360)
    assert browser.messages == []
    assert browser.evaluate("document.documentElement.scrollWidth") == 360


def test_the_tab_key_stops_once_at_each_group_of_marks_and_arrow_keys_lead_through_it(browser, path):
    browser.open(path, width=1280)
    groups = browser.evaluate("document.querySelectorAll('[data-marks]').length")
    assert groups == 7  # bars, two lines, path, cells, rows, variables
    assert browser.evaluate("document.querySelectorAll('.mark[tabindex=\"0\"]').length") == groups
    browser.evaluate("document.querySelector('[data-marks=bars] .mark').focus()")
    told = "document.activeElement.getAttribute('aria-label')"
    tip = "(({hidden, textContent}) => hidden ? '' : textContent)(document.querySelector('.tip'))"
    assert browser.evaluate(told).startswith("Component 1: 30.0")
    assert browser.evaluate(tip) == browser.evaluate(told)
    browser.press("ArrowRight")
    assert browser.evaluate(told).startswith("Component 2: 21.0")
    browser.press("End")
    browser.press("ArrowRight")
    assert browser.evaluate(told).startswith("Component 3:")
    browser.press("Escape")
    assert browser.evaluate(tip) == ""
    browser.evaluate("document.querySelector('[data-marks=cells] .mark').focus()")
    first = browser.evaluate(tip)
    browser.press("ArrowDown")
    second = browser.evaluate(tip)
    assert first != second
    assert ", component 1: " in first
    assert ", component 1: " in second


def test_only_boxes_that_scroll_are_stops_of_the_tab_key(browser, path):
    shown = "box.tabIndex === 0 && box.checkVisibility({contentVisibilityAuto: true})"  # those in folds are not
    stops = f"[...document.querySelectorAll('.scroll')].filter((box) => {shown}).length"
    later = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(1))))"
    found = []
    for width in (1280, 360):
        browser.open(path, width=width)
        browser.evaluate(later)
        found.append(browser.evaluate(stops))
    assert found[0] == 0
    assert 1 <= found[1] <= 4  # the heat map and the biplot are wider than a phone


def test_hovering_shows_a_name_as_text(browser, path):
    browser.open(path, width=1280)
    place = """(() => {
      const mark = document.querySelector("[data-marks=rows] .mark");
      mark.scrollIntoView({ block: "center" });
      const box = mark.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    })()"""
    browser.hover(*browser.evaluate(place))
    assert "<b>row" in browser.evaluate("document.querySelector('.tip').textContent")
    assert browser.evaluate("document.querySelector('.tip').children.length") == 0
    assert browser.evaluate("document.querySelectorAll('.mark > title').length") == 0  # or there would be two tips
