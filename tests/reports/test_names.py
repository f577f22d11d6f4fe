"""Names are hostile: whatever they are, the page shows them as text."""

import re

import numpy as np
import pytest

from orthoprox.reports import page
from orthoprox.reports.text import cut, visible
from reported import Parsed, facts

HOSTILE = {
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>": "</script><script>alert(1)</script>",
    "</title></style><!--": "</title></style><!--",
    '"quoted" \'twice\' onfocus=alert(1) x="': '"quoted" \'twice\' onfocus=alert(1) x="',
    "=cmd()": "=cmd()",
    "&lt;b&gt;": "&lt;b&gt;",
    "two\nlines\r\tand\x00a\x1bzero": "two↵lines␍⇥and⟨U+0000⟩a⟨U+001B⟩zero",
    "\u202egnp.exe\u2066\u200f": "⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200F⟩",
    "zero\u200bwidth\ufeff": "zero⟨U+200B⟩width⟨U+FEFF⟩",
    "half \ud800 a pair": "half ⟨U+D800⟩ a pair",
    "\u05e9\u05dd": "\u05e9\u05dd",
    "{{ 7 * 7 }} ${x} %s": "{{ 7 * 7 }} ${x} %s",
}


def plain(text):
    """The text without the isolates that the page itself puts around names."""
    return text.replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_hostile_name_is_text_wherever_it_stands(name):
    quiet = Parsed(page(facts(n=2, names=("a", "b"), components=np.eye(2), row_names=("r",) * 40, settings={"a": "b"})))
    told = facts(
        n=2,
        names=(name, "b"),
        components=np.eye(2),
        row_names=(name,) * 40,
        title=name,
        source=name,
        certificate=name,
        status=name,
        notes=(name,),
        command=name,
        phases=((name, 1.0, 2), ("run", 1.0, 2)),
        versions={name: name},
        settings={name: name},
    )
    text = page(told)
    parsed = Parsed(text)
    assert parsed.balanced
    text.encode("utf-8")
    shown = HOSTILE[name]
    assert plain(parsed.text).count(shown) >= 40 + 15  # in rows, and wherever else
    kept = [(tag, sorted(given)) for tag, given in parsed.elements if tag not in ("wbr", "line")]  # joints, leaders
    assert kept == [(tag, sorted(given)) for tag, given in quiet.elements if tag not in ("wbr", "line")]


def test_no_character_of_a_name_can_turn_the_direction_of_others():
    text = page(facts(names=("\u202ea", "\u2067b", "\u2069\u2069c"), components=np.eye(3), row_names=("\u202e",) * 40))
    assert not re.search("[\u202a-\u202e\u2066\u2067\u200e\u200f]", text)
    for part in re.findall("\u2068[^\u2068]*?\u2069|[\u2068\u2069]", text):
        assert part[0] == "\u2068"
        assert part[-1] == "\u2069"


def test_names_that_are_empty_blank_or_endless_can_be_told_apart():
    long = "x" * 5000
    names = ("", "  ", f"{long}1", f"{long}2")
    text = page(facts(n=2, names=names, components=np.ones((2, 4)), row_names=("",) * 40))
    said = Parsed(text).text
    assert "(variable 1, unnamed)" in said
    assert "(variable 2, unnamed)" in said
    assert "(row 40, unnamed)" in said
    assert re.search("xxx…x+1", said)
    assert re.search("xxx…x+2", said)
    assert "x" * 81 not in said


def test_ten_thousand_names_are_all_shown():
    names = [f"gene {i}" for i in range(10_000)]
    components = np.zeros((5, 10_000))
    components[np.arange(10_000) % 5, np.arange(10_000)] = 0.01
    said = set(Parsed(page(facts(n=5, names=names, components=components))).texts)
    assert said >= set(names)


def test_a_visible_text_is_on_one_line_and_stays_as_it_is_if_nothing_is_hidden():
    for text in ("Größe (µm)", "温度", "👩‍🔬", "a b"):
        assert visible(text) == text
    assert len(visible("".join(map(chr, range(0x3000)))).splitlines()) == 1


def test_a_cut_text_keeps_its_ends():
    assert cut("abcdefghij", 10) == "abcdefghij"
    assert cut("abcdefghijk", 7) == "abcd…jk"
    assert len(cut("x" * 99, 22)) == 22
