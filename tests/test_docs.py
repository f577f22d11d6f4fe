"""The pages of docs/ say what the registry says, and leave no method out."""

import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

import chromium
from orthoprox.experiments.spec import names
from orthoprox.solvers import SOLVERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

# The paper's Table 1: nonsmooth, single loop, complexity, sequential convergence, retraction-free. The star stands for
# "subproblem solver required due to lack of explicit solution".
PUBLISHED = {
    "soc": (True, False, "", False, False),
    "pamal": (True, False, "", False, False),
    "pcal": (False, True, "O(eps^-2)", False, True),
    "landing": (False, True, "O(eps^-2)", False, True),
    "manpg": (True, False, "O(eps^-2)*", False, False),
    "radmm": (True, True, "O(eps^-4)", False, False),
    "lsalm": (True, True, "O(eps^-3)", True, True),
}


@pytest.fixture
def load(monkeypatch):
    """Import a module from the root of the repository."""
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module


@pytest.mark.parametrize("name", PUBLISHED)
def test_facts_agree_with_the_published_table(name):
    facts = SOLVERS[name].facts
    complexity = facts.complexity + ("*" if "subproblem" in facts.remark else "")
    stated = (facts.nonsmooth, facts.single_loop, complexity, facts.sequential, facts.retraction_free)
    assert stated == PUBLISHED[name]


def test_methods_page_is_what_the_registry_gives(load):
    page = load("docs.methods").page()
    assert (DOCS / "methods.md").read_text() == page, "docs/methods.md is out of date; run make docs"


@pytest.mark.parametrize("name", SOLVERS)
def test_methods_page_has_every_method_with_its_sentence_parameters_and_reference(name, load):
    methods, kind = load("docs.methods"), SOLVERS[name]
    section = methods.description(name, kind)
    assert section.startswith(f"### {kind.facts.name}, `{name}`\n\n")
    assert methods.summary(kind.__doc__).strip()
    assert all(f"`{field.name}=" in section for field in fields(kind))
    assert any(f"({year})" in section for year in range(2000, 2030))


def test_certificates_page_has_every_nonsmooth_method_on_every_problem(load):
    problems = load("benchmarks.certificates").problems()
    page = (DOCS / "certificates.md").read_text()
    for title in problems:
        section = page.split(f"## {title}\n")[1].split("\n## ")[0]
        named = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("|")][2:]
        assert set(named) == {name for name, kind in SOLVERS.items() if kind.facts.nonsmooth}


@pytest.mark.parametrize("name", SOLVERS)
def test_benchmark_measures_every_method(name, load):
    bench = load("benchmarks.solvers")
    row = bench.measure(name, (20, 4), warm_up=1, repetitions=2)
    assert row.iteration > 0
    assert row.bare > 0
    assert set(row.work) >= set(SOLVERS[name].facts.work)
    assert f"| {name} " in bench.report([row])


def test_the_benchmark_counts_what_a_subproblem_adds(load):
    """An iteration of ManPG evaluates the prox, which its facts leave to the subproblem; LSALM does only what they list."""
    bench = load("benchmarks.solvers")
    assert bench.measure("manpg", (20, 4), warm_up=1, repetitions=1).work["prox"] > 0
    assert bench.measure("lsalm", (20, 4), warm_up=1, repetitions=1).work == SOLVERS["lsalm"].facts.work


def test_index_names_every_page():
    index = (DOCS / "README.md").read_text()
    assert all(f"({page.name})" in index for page in DOCS.glob("*.md") if page.name != "README.md")


def test_the_page_of_the_reproduction_shows_every_table_and_figure_without_an_error():
    page = DOCS / "reproduction" / "index.html"
    text = page.read_text(encoding="utf-8")
    for name in names():
        assert f'id="{name}"' in text
        if name.startswith("fig-"):
            assert (DOCS / "reproduction" / "figures" / f"{name}.png").is_file()
    assert chromium.inspect(page) == ([], [])


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\[[^]]+\]\(([\w/-]+\.\w+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
