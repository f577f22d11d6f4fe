"""The pages of docs/ say what the registry says, and leave no method out."""

import importlib
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import chromium
import orthoprox as op
from orthoprox.reproduce.spec import names
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
    "smoothing-rgd": (True, True, "O(eps^-3)", False, False),
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


@pytest.mark.parametrize("name", ["amanpg", "rpg", "almssn"])
def test_the_benchmark_counts_what_remarks_tell(name, load, monkeypatch):
    """Gradients and retractions of an iteration, counted one by one, are those of its line: with a safeguard or without."""
    bench, made = load("benchmarks.solvers"), Counter()

    def counting(kind, attribute, what):
        function = getattr(kind, attribute)
        monkeypatch.setattr(kind, attribute, lambda *given: (made.update([what]), function(*given))[1])

    solver, problem = SOLVERS[name](), op.problems.sparse_pca(op.datasets.five_components(50, 20), 4, 0.5)
    counting(type(problem.smooth), "grad", "gradient")
    counting(op.stiefel, "polar", "polar")
    state = solver.init(problem, op.stiefel.random_point(20, 4))
    seen = set()
    for _ in range(30):
        made.clear()
        state = solver.step(problem, state)
        work = bench.count(solver, state, 0)
        assert work["polar"] == made["polar"] or name == "almssn"  # which has QR steps
        assert work["gradient"] == made["gradient"]
        seen.add(tuple(bench.further(solver, state).items()))
    assert len(seen) > 1


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


def test_the_robustness_suite_has_what_it_was_made_for(load):
    """At least 300 reported instances, none of a seed that was tuned on; families, shapes and scales of all kinds."""
    suite = load("benchmarks.instances")
    reported, tuned = list(suite.instances("report")), list(suite.instances("tuning"))
    assert len(reported) >= 300
    assert min(one.seed for one in reported) >= 1000
    assert max(one.seed for one in tuned) <= 9
    assert {"five components", "AR(1)", "raw counts", "compressed modes", "l21", "MCP", "SCAD"} <= {
        one.family for one in reported
    }
    assert {1e-6, 1e6} <= {one.scale for one in reported}
    assert any(one.shape[0] == one.shape[1] for one in reported)
    assert any(one.shape[1] == 1 for one in reported)
    assert {suite.tolerance(one) for one in reported} == {1e-5, 1e-4}


def test_every_reported_case_makes_a_problem_with_a_start_on_the_manifold(load):
    for one in load("benchmarks.instances").instances("report"):
        if one.seed == 1000:
            problem, X0 = one.make()
            assert X0.dtype == one.dtype
            assert X0.shape == problem.shape
            assert abs(X0.T @ X0 - np.eye(X0.shape[1])).max() <= 1e-5


def test_a_run_of_the_suite_counts_every_gradient(load):
    """A run's count exceeds its iterations: set-up, measurements and certificates are in it."""
    bench, suite = load("benchmarks.robustness"), load("benchmarks.instances")
    one = next(one for one in suite.instances("tuning") if one.family == "random quadratic")
    row = bench.run(one, "adaptive")
    assert row.converged
    assert row.iterations + 10 < row.gradients < row.iterations + 200
    assert row.objective < row.start
    assert "1 of 1 converge" in bench.findings([row])


def test_robustness_page_reports_the_committed_suite(load):
    """As many instances as the suite has, every family, every contender."""
    bench, suite = load("benchmarks.robustness"), load("benchmarks.instances")
    text, reported = (DOCS / "robustness.md").read_text(), list(suite.instances("report"))
    assert f"\n{len(reported)} instances" in text
    for name in {one.family for one in reported} | {f"{name}: converged" for name in bench.CONTENDERS}:
        assert f"| {name} " in text


def test_the_ablation_leaves_out_what_it_says(load):
    """Without a part the method is another one; with all of them it is the same as ever."""
    bench, suite = load("benchmarks.ablation"), load("benchmarks.instances")
    one = next(one for one in suite.instances("tuning") if one.family == "five components" and one.shape == (100, 10))
    runs = {part: bench.run(part, one) for part in (bench.ALL, "inertia", "measured curvature")}
    assert runs[bench.ALL].converged
    assert len({run.gradients for run in runs.values()}) == 3
    assert bench.fill("a\n<!-- ablation -->\nold\n<!-- end -->\nb", "new") == "a\n<!-- ablation -->\nnew\n<!-- end -->\nb"
    page = (DOCS / "automatic.md").read_text()
    assert all(f"| {part} " in page for part in bench.PARTS)
