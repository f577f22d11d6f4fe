"""The report: the same cells in three formats, a page that stands alone, the same bytes each
time.
"""

import html
import importlib
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import chromium
from orthoprox.reproduce import report
from orthoprox.reproduce.section import Claim, Section
from orthoprox.reproduce.table import Table, markdown

SPECIAL = ("a|b", r"\alpha", "x_1", "_y_", "5 %", "#3 & more", "<b>", "1 ~ 2", "m^2", "$f$", "{}", "*", "[1]", "`c`")
GROUPED = Table(
    "Times & values, m < 500",
    ("m", "method", "T (s)", "F", "T (s)", "F"),
    (("300", "a", "1.25", "-3.5e-05", "0.75", "—"), ("1000", "b_2", "11.5", "inf", "", "±2")),
    (("", 2), ("SOC", 2), ("LSALM", 2)),
)


def drawing():
    figure = Figure(figsize=(6, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.semilogy([1, 0.01, 1e-9], label="a line")
    left.set(xlabel="iteration", ylabel="value", title="A title")
    left.legend()
    figure.colorbar(right.scatter([1, 2], [1, 2], c=[1, 2]), ax=right)
    figure.suptitle("A title of everything")
    return figure


def sections():
    claims = (
        Claim("times", "2.0", "2.5", 1.25, True, "Hidden: the times agree.", "Hidden: no test."),
        Claim("ratio <small>", "4", "1", 0.25, False, "Shown: x < y & the routine is faster.", "One by one: 1 < 4."),
        Claim("smallest size", "1", "9", 9.0, False, "Without a test of its own: it is larger."),
        Claim("largest size", "9", "not run", None, None, "Hidden: nothing was run."),
    )
    full = Section(
        "table-one",
        "Sparse <PCA>",
        "Table 1",
        "First paragraph, X <= 1.\n\nSecond; see https://arxiv.org/abs/1234.5678.",
        "Two of three hold.",
        {"curves": drawing(), "bare": drawing()},
        {"curves": "Curves of a < b."},
        (GROUPED, Table("Special", SPECIAL, (SPECIAL[::-1],))),
        claims,
        ("Remark on <runs>.",),
    )
    return [full, Section("figure-two", "Empty", "Figure 2", "Nothing was run.", "Not decided.")]


COMMANDS = ["orthoprox reproduce one", "orthoprox reproduce two --where 'm <= 5'"]


def write(folder: Path) -> Path:
    facts = {"machine": "two <cores>", "date": "2025-01-01"}
    told = {"remarks": ["Reduced size: 3 of 20."], "facts": facts, "commands": COMMANDS}
    return report.write(folder, sections(), title="Made & again", **told)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return write(tmp_path_factory.mktemp("report") / "new" / "folder")


class Cells(HTMLParser):
    """Collects the text of each cell, the sources of images, and the tags."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.open = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
            self.open = True

    def handle_endtag(self, tag):
        self.open = self.open and tag not in {"td", "th"}

    def handle_data(self, data):
        if self.open:
            self.tables[-1][-1][-1] += data


def cells(source):
    """The cells of a table in Markdown, unescaped."""
    lines = [line for line in source.splitlines() if line.startswith("|")]
    split = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[:1] + lines[2:]]
    return [tuple(re.sub(r"\\(_|[^\w\s])", r"\1", cell.strip()) for cell in line) for line in split]


def test_markdown_gives_the_cells_back_and_is_aligned():
    table = Table("Special", SPECIAL, (SPECIAL[::-1], SPECIAL))
    assert cells(table.markdown()) == [SPECIAL, SPECIAL[::-1], SPECIAL]
    assert len({len(line) for line in table.markdown().splitlines()}) == 1
    assert "| x_1 " in table.markdown(), "an underscore within a word needs no escape"
    assert markdown(["a", "b"], [["1", "22"]]) == "| a | b  |\n|---|----|\n| 1 | 22 |"


def test_groups_stand_before_the_headings_in_markdown():
    header, *rows = cells(GROUPED.markdown())
    assert header == ("m", "method", "SOC: T (s)", "SOC: F", "LSALM: T (s)", "LSALM: F")
    assert tuple(rows) == GROUPED.rows


def test_latex_has_rules_groups_caption_label_and_alignment():
    lines = GROUPED.latex().splitlines()
    assert r"\caption{Times \& values, m \textless{} 500}" in lines
    assert r"\label{tab:times-values-m-500}" in lines
    assert r"\begin{tabular}{rlrrrr}" in lines
    top = lines.index(r"\toprule")
    assert lines[top + 1 : top + 5] == [
        r"\multicolumn{2}{c}{} & \multicolumn{2}{c}{SOC} & \multicolumn{2}{c}{LSALM} \\",
        r"\cmidrule(lr){3-4} \cmidrule(lr){5-6}",
        r"m & method & T (s) & F & T (s) & F \\",
        r"\midrule",
    ]
    assert lines[top + 5 : top + 8] == [
        r"300 & a & 1.25 & -3.5e-05 & 0.75 & --- \\",
        r"1000 & b\_2 & 11.5 & inf &  & $\pm$2 \\",
        r"\bottomrule",
    ]


def test_latex_escapes_what_has_a_meaning():
    shown = Table("t", ("all",), ((r"# % _ & < > ~ ^ \ $ { } | [ *",),)).latex().splitlines()[-4]
    assert shown == (
        r"\# \% \_ \& \textless{} \textgreater{} \textasciitilde{} \textasciicircum{} \textbackslash{} "
        r"\$ \{ \} \textbar{} {[} {*} \\"
    )


def test_only_columns_of_numbers_are_numeric():
    rows = (("1.5e-05", "LSALM", "-", "20/20", "e", ""), ("< 1 %", "3 ", "nan", "1 (0.2)", "1", ""))
    assert Table("t", tuple("abcdef"), rows).numeric == (True, False, True, True, False, False)


@pytest.mark.parametrize(
    ("rows", "groups", "message"),
    [
        ((("1", "2"), ("1",)), (), r"row 1 has 1 cells, \('1',\); the header needs 2"),
        ((), (("a", 1), ("b", 2)), r"groups of \[1, 2\] columns; needed are positive numbers with the sum 2"),
        ((), (("a", 2), ("b", 0)), r"groups of \[2, 0\] columns"),
    ],
)
def test_wrong_lengths_are_named(rows, groups, message):
    with pytest.raises(ValueError, match=message):
        Table("t", ("a", "b"), rows, groups)


def test_the_commands_stand_on_the_page(page):
    told = "\n".join(COMMANDS)
    assert f"```console\n{told}\n```" in page.with_name("report.md").read_text()
    assert (
        re.search(r"<pre[^>]*>\n(.*?)</pre>", page.read_text(), re.S)[1]
        == html.escape(told, quote=False).replace("'", "&#39;") + "\n"
    )


def test_write_makes_every_file_and_removes_none(tmp_path):
    (tmp_path / "figures").mkdir()
    kept = tmp_path / "figures" / "kept.png"
    kept.write_text("mine")
    assert write(tmp_path) == tmp_path / "index.html"
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    tables = {f"tables/table-one-{k}.{suffix}" for k in (1, 2) for suffix in ("md", "tex")}
    figures = {f"figures/{name}.{suffix}" for name in ("curves", "bare") for suffix in ("png", "svg")}
    assert names == {"index.html", "report.md", "figures/kept.png"} | tables | figures
    assert kept.read_text() == "mine"


def test_two_writings_are_the_same_to_the_byte(tmp_path):
    once, twice, same = tmp_path / "once", tmp_path / "twice", sections()
    write(once)
    write(twice)
    files = [path.relative_to(once) for path in once.rglob("*") if path.is_file()]
    assert len(files) == 10
    assert all((once / file).read_bytes() == (twice / file).read_bytes() for file in files)
    for _ in range(2):  # the very same figures, which have been drawn before
        report.write(tmp_path / "again", same, title="", remarks=[], facts={})
        assert (tmp_path / "again/figures/curves.svg").read_bytes() == (once / "figures/curves.svg").read_bytes()
        assert (tmp_path / "again/figures/curves.png").read_bytes() == (once / "figures/curves.png").read_bytes()


def test_page_stands_alone(page):
    text = page.read_text()
    seen = Cells(text)
    assert not {tag for tag, _ in seen.tags} & {"script", "iframe", "object"}
    assert "<script" not in text
    assert "url(" not in text
    assert "@import" not in text
    sources = [value for tag, attrs in seen.tags for name, value in attrs.items() if name in {"src", "href"} and tag != "a"]
    assert len(sources) == 3
    assert all(source.startswith("data:") for source in sources)
    links = [attrs["href"] for tag, attrs in seen.tags if tag == "a"]
    assert links == ["#table-one", "#figure-two", "https://arxiv.org/abs/1234.5678"]
    assert {attrs.get("id") for tag, attrs in seen.tags if tag == "section"} == {"table-one", "figure-two"}
    assert all(attrs["alt"] for tag, attrs in seen.tags if tag == "img")


def test_page_escapes_what_has_a_meaning_in_html(page):
    text = page.read_text()
    assert not any(f"<{name}>" in text for name in ("PCA", "small", "runs", "cores", "b>a"))
    for shown in ("Sparse &lt;PCA&gt;", "ratio &lt;small&gt;", "Remark on &lt;runs&gt;", "two &lt;cores&gt;", "X &lt;= 1"):
        assert shown in text
    assert "<title>Made &amp; again</title>" in text


def test_page_markdown_and_files_show_the_same_cells(page):
    seen = Cells(page.read_text()).tables
    overview, _, grouped, special, claims = seen
    assert overview[2:] == [
        ["Sparse <PCA>", "Table 1", "Two of three hold.", "1", "2", "1"],
        ["Empty", "Figure 2", "Not decided.", "—", "—", "—"],
    ]
    assert grouped == [["", "SOC", "LSALM"], list(GROUPED.header), *map(list, GROUPED.rows)]
    assert special == [list(SPECIAL), list(SPECIAL[::-1])]
    found = ["1.25 ✓ agrees", "0.250 ✗ differs", "9.00 ✗ differs", "— ? not decided"]
    assert [" ".join(line[3:]) for line in claims[1:]] == found


@pytest.mark.parametrize("name", ["index.html", "report.md"])
def test_only_the_sentences_of_claims_that_differ_appear(page, name):
    text = (page.parent / name).read_text()
    assert "Shown: x" in text
    assert "One by one: 1" in text
    assert "Hidden" not in text


def test_a_sentence_names_its_claims_one_by_one_where_they_are_tested(page):
    text = (page.parent / "report.md").read_text()
    tested = r"- Shown: x \\< y & the routine is faster\.\n  - \*\*ratio \\<small>\*\*: One by one: 1 \\< 4\.\n"
    alone = r"- \*\*smallest size\.\*\* Without a test of its own: it is larger\.\n\n"
    assert re.search(tested + alone, text), text.split("Where they differ")[1][:400]


def test_markdown_links_to_figures_that_are_there(page):
    links = re.findall(r"!\[[^]]+\]\(([^)]+)\)", (page.parent / "report.md").read_text())
    assert links == ["figures/curves.png", "figures/bare.png"]
    assert all((page.parent / link).is_file() for link in links)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"),
        (float("nan"), "—"),
        (float("inf"), "—"),
        (1, "1.00"),
        (-0.5, "-0.500"),
        (0.00456789, "0.00457"),
        (9.999, "10.0"),
        (12.345, "12.3"),
        (1234.5, "1230"),
        (123456.0, "1.23e+05"),
        (1e-7, "1.00e-07"),
    ],
)
def test_ratios_have_three_digits(value, shown):
    assert report.ratio(Claim("", "", "", value)) == shown


def test_names_that_would_overwrite_each_other_are_refused(tmp_path):
    twice = [*sections(), sections()[1]]
    with pytest.raises(ValueError, match="More than one section has the name figure-two"):
        report.write(tmp_path, twice, title="", remarks=[], facts={})
    pair = [Section(name, "", "", "", "", {"f": drawing()}) for name in "ab"]
    with pytest.raises(ValueError, match="More than one figure has the name f"):
        report.write(tmp_path, pair, title="", remarks=[], facts={})


def test_an_empty_report_is_a_page(tmp_path):
    assert "<h1>None yet</h1>" in report.write(tmp_path, [], title="None yet", remarks=[], facts={}).read_text()


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_missing_libraries_are_named_with_their_remedy(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "orthoprox.reproduce.report")
    with pytest.raises(ImportError, match=r'pip install "orthoprox\[reproduce\]"'):
        importlib.import_module("orthoprox.reproduce.report")


@pytest.mark.extended
def test_chromium_finds_broken_images_and_errors(tmp_path):
    page = tmp_path / "page.html"
    drawing().savefig(tmp_path / "good.png")
    images = '<img src="good.png"><img src="missing.png"><img src="data:image/png;base64,AAAA">'
    page.write_text(f"<!DOCTYPE html><title>t</title>{images}<script>undefinedName()</script>")
    messages, broken = chromium.inspect(page)
    assert broken == ["missing.png", "data:image/png;base64,AAAA"]
    assert any("undefinedName is not defined" in message for message in messages)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.png", "page.html"]


@pytest.mark.extended
def test_chromium_has_nothing_to_say_about_a_report(page):
    assert chromium.inspect(page) == ([], [])
