"""The page of a report: whole, self-contained, the same each time, and true for every shape of
facts.
"""

import re
import time
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest

from orthoprox.reports import page
from reported import NAMES, Parsed, facts

PICTURES = {"explained-variance", "path", "heat-map", "biplot"}


def ids(parsed):
    return set(parsed.attributes("id"))


def test_a_page_is_balanced_its_ids_are_unique_and_its_references_lead_to_them():
    parsed = Parsed(page(facts()))
    assert parsed.balanced
    found = parsed.attributes("id")
    assert len(found) == len(set(found))
    labels = [*parsed.attributes("aria-labelledby"), *parsed.attributes("aria-describedby")]
    assert {*labels, *(target[1:] for target in parsed.attributes("href") if target[0] == "#")} <= set(found)


def test_a_page_has_all_pictures_each_with_a_title_and_a_description():
    text = page(facts())
    parsed = Parsed(text)
    assert ids(parsed) >= PICTURES
    drawn = [given for tag, given in parsed.elements if tag == "svg" and "aria-hidden" not in given]
    assert len(drawn) == 3  # the heat map is a table
    for given in drawn:
        assert given["role"] == "img"
        for label in (given["aria-labelledby"], given["aria-describedby"]):
            assert re.search(rf'id="{label}">[^<]', text)
    assert parsed.count("details") == 3  # each picture as a table
    assert all(table in parsed.text for table in ("Explained variance", "Variance against nonzeros", "The arrows"))


def test_a_page_tells_its_facts():
    told = facts()
    text = Parsed(page(told)).text
    for name in NAMES[:-1]:
        assert name in text
    used = np.count_nonzero(told.components)
    assert f"3 sparse components have {used} nonzero loadings out of 18." in text
    assert "65.7\N{NO-BREAK SPACE}% of the variance" in text  # .3 (1 + .7 + .49)
    assert "explain 72.3\N{NO-BREAK SPACE}%" in text  # 1.1 times that
    assert "Certified: stationary to 1e-9." in text
    assert "Left out: 1 variable whose loadings are all zero." in text
    for said in (*told.notes, told.command, told.status, "table.csv", "3,400", "1.50 s", "0.2.0", "✓ Converged"):
        assert said in text


def test_a_fit_that_did_not_converge_is_not_called_converged():
    text = Parsed(page(facts(converged=False, certificate="Not certified: the time was up.", status="deadline"))).text
    assert "! Did not converge" in text
    assert "Converged" not in text


def test_a_page_loads_nothing_and_its_policy_forbids_it():
    text = page(facts())
    parsed = Parsed(text)
    assert "//" not in re.sub(r"(?s)<script>.*?</script>", "", text)
    assert not {"src", "srcset", "data", "action", "style", "onload"} & {name for _, given in parsed.elements for name in given}
    policy = next(given["content"] for _, given in parsed.elements if "http-equiv" in given)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        content = re.search(rf"(?s)<{tag}>(.*?)</{tag}>", text)[1]
        assert f"{tag}-src 'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'" in policy


def test_equal_facts_give_equal_bytes():
    assert page(facts()) == page(facts())


def test_one_component_has_no_biplot_and_a_covariance_has_none_either():
    for told in (facts(n=1), facts(scores=None)):
        parsed = Parsed(page(told))
        assert ids(parsed) & PICTURES == PICTURES - {"biplot"}
        assert "No biplot" in parsed.text


@pytest.mark.parametrize("curve", [None, (np.array([]), np.array([])), (np.array([3.0]), np.array([np.nan]))])
def test_without_a_path_the_page_says_so(curve):
    parsed = Parsed(page(facts(curve=curve)))
    assert ids(parsed) & PICTURES == PICTURES - {"path"}
    assert "no path of solutions was computed" in parsed.text


ODD = {
    "one variable": {"n": 1, "names": ("x",)},
    "one row": {"rows": 1},
    "no row": {"rows": 0},
    "no variance": {"explained": np.zeros(3), "pca_explained": np.zeros(3), "scores": np.zeros((40, 3))},
    "not numbers": {
        "explained": np.full(3, np.nan),
        "pca_explained": np.full(3, np.inf),
        "scores": np.full((40, 3), np.nan),
        "components": np.array([[np.nan] * 6, [np.inf] * 6, [-np.inf] * 6]),
        "seconds": np.nan,
        "phases": (("run", np.nan, 0),),
        "settings": {"alpha": np.nan},
    },
    "zero components": {"components": np.zeros((3, 6))},
    "negative zeros": {
        "components": np.full((3, 6), -0.0),
        "scores": np.full((40, 3), -0.0),
        "explained": np.full(3, -0.0),
        "pca_explained": np.full(3, -0.0),
    },
    "negative shares": {"explained": np.array([0.5, -0.1, -1e-9])},
    "a flat plane": {"scores": np.column_stack([np.linspace(-1, 1, 40), np.zeros(40), np.ones(40)])},
    "huge scores": {"scores": 1e200 * np.random.default_rng(0).standard_normal((40, 3))},
    "tiny loadings": {"components": 1e-200 * np.random.default_rng(0).standard_normal((3, 6))},
    "one point of a path": {"curve": (np.array([4.0]), np.array([0.3]))},
    "a long path": {"curve": (np.array([1.0, 10.0, 1e5]), np.array([0.1, 0.3, 0.4]))},
    "a path from nothing": {"curve": (np.array([0.0, 0.0]), np.array([0.0, 0.0])), "components": np.zeros((3, 6))},
    "nothing said": {"notes": (), "phases": (), "command": "", "versions": {}, "settings": {}, "certificate": ""},
    "many notes": {"notes": tuple(f"Note {k}." for k in range(30))},
    "many components": {"n": 80},
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.filterwarnings("error")
def test_odd_facts_make_a_whole_page_without_nan_or_negative_zeros(odd):
    text = page(facts(**ODD[odd]))
    parsed = Parsed(text)
    assert parsed.balanced
    assert "heat-map" in ids(parsed) or "All loadings are zero." in parsed.text
    assert not re.search(r"\b(nan|inf|None)\b", re.sub("alphaNone", "", parsed.text), flags=re.IGNORECASE)
    assert not re.search(r"[-\N{MINUS SIGN}]0(\.0*)?(?![.\d])", parsed.text)
    places = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "points", "viewBox")
    for value in (value for name in places for value in parsed.attributes(name)):
        assert re.fullmatch(r"(-?\d+(\.\d)?([ ,]|$))*", value), value


def test_bars_and_points_stand_where_their_values_say():
    """A bar is as high as its share: two components of shares s and s/2, bars of heights h and h/2.
    Points of the biplot keep the ratio of distances.
    """
    parsed = Parsed(page(facts(n=2, explained=np.array([0.4, 0.2]), pca_explained=np.array([0.4, 0.1]))))
    # the first of each kind stands in the legend
    bars = [float(given["height"]) for _, given in parsed.elements if given.get("class") == "bar ours"][1:]
    assert bars[0] == pytest.approx(2 * bars[1], abs=0.11)
    theirs = [float(given["height"]) for _, given in parsed.elements if given.get("class") == "bar pca"][1:]
    assert theirs[0] == pytest.approx(bars[0])
    assert theirs[1] == pytest.approx(bars[0] / 4, abs=0.11)
    scores = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    parsed = Parsed(page(facts(n=2, rows=4, scores=scores)))
    points = [given for tag, given in parsed.elements if tag == "circle" and given["class"] == "mark"]
    drawn = np.array([[float(given["cx"]), -float(given["cy"])] for given in points])
    unit = drawn[1, 0] - drawn[0, 0]
    np.testing.assert_allclose(drawn - drawn[0], unit * scores, atol=0.11)


def test_many_rows_are_thinned_evenly_and_the_page_says_so():
    parsed = Parsed(page(facts(rows=10_000)))
    points = [given for tag, given in parsed.elements if tag == "circle" and given.get("class") == "mark"]
    assert len(points) == 2000
    assert "Drawn are 2,000 of 10,000 rows, evenly spaced." in parsed.text
    assert "Row 9996:" in parsed.text


def test_a_wide_table_is_shown_in_time():
    """5,000 variables, 10 components, every loading but those of the last variable nonzero."""
    random = np.random.default_rng(3)
    names = [f"gene {i}" for i in range(5000)]
    components = random.standard_normal((10, 5000))
    components[:, -1] = 0
    told = facts(n=10, names=names, components=components)
    start = time.process_time()
    text = page(told)
    assert time.process_time() - start < 1
    assert len(text) < 5e6
    said = Parsed(text).text
    assert "4,999 variables of 5,000 have a nonzero loading" in said
    assert "The first 300 are shown" in said
    assert "Left out: the 2,999 smallest loadings." in said


def test_a_small_page_is_small():
    told = facts(n=4, names=[f"variable {i}" for i in range(13)], rows=178)
    page(told)
    start = time.process_time()
    text = page(told)
    assert time.process_time() - start < 0.1
    assert len(text.encode()) < 200_000


def test_facts_that_do_not_fit_together_are_refused():
    with pytest.raises(ValueError, match=r"components is a NumPy array of shape \(3, 4\); it needs any x 6 numbers"):
        facts(components=np.ones((3, 4)))
    with pytest.raises(ValueError, match=r"explained is .*; it needs 3 numbers"):
        facts(explained=np.ones(2))
    with pytest.raises(ValueError, match="row_names has 2 names; it needs 40"):
        facts(row_names=("a", "b"))
    with pytest.raises(ValueError, match="curve has parts of shapes"):
        facts(curve=(np.ones(2), np.ones(3)))
    with pytest.raises(ValueError, match="a row and a column at least"):
        facts(components=np.ones((0, 6)), explained=[], pca_explained=[], scores=None)
