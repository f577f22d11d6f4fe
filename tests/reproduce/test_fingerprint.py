"""The fingerprint of a row: it changes with the code of its study and its method, and with nothing
else.
"""

import shutil
from pathlib import Path

import pytest

import orthoprox
from orthoprox.reproduce.fingerprint import UNREAD, fingerprint, parts, sources
from orthoprox.reproduce.sources import Sources
from orthoprox.reproduce.spec import load, names

ROOT = Path(orthoprox.__file__).parent
LSALM = {"study": "spca", "solver": "lsalm"}
SOC = {"study": "spca", "solver": "soc"}
PAIRS = sorted({(run.settings["study"], run.settings["solver"]) for name in names() for run in load(name, quick=True).runs()})


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the sources."""
    root = tmp_path / "orthoprox"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def found(root, settings=LSALM):
    return Sources(root, unread=UNREAD).hash(parts(settings["study"], settings["solver"]))


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_copy_has_the_same_fingerprint(copy):
    assert found(copy) == fingerprint(LSALM)
    assert len(found(copy)) == 12


def test_methods_and_studies_have_fingerprints_of_their_own():
    hashes = {fingerprint({"study": study, "solver": solver}) for study, solver in PAIRS}
    modules = {parts(study, solver) for study, solver in PAIRS}
    assert len(hashes) == len(modules)


@pytest.mark.parametrize(("study", "solver"), [pair for pair in PAIRS if pair[0] != "default"])
def test_the_code_of_a_run_has_its_method_its_study_and_its_term_but_no_other_method_and_nothing_that_shows(study, solver):
    closure = sources().closure(parts(study, solver))
    assert set(parts(study, solver)) <= closure
    assert {"orthoprox._linalg.stiefel", "orthoprox.problems.problem", "orthoprox.reproduce.studies.formula"} <= closure
    methods = {kind.__module__ for kind in orthoprox.SOLVERS.values()} & closure
    allowed = {parts(study, solver)[1]}
    if study in ("spca", "spca_compared", "costs"):
        allowed.add("orthoprox.solvers.rsm")  # of the start that it finds
    own = {base.__module__ for base in orthoprox.SOLVERS[solver].__mro__}
    assert methods <= allowed | own | sources().closure([parts(study, solver)[1]])
    assert not {name for name in closure if name.startswith(("orthoprox.cli", "orthoprox.starts", "orthoprox._run.p"))}
    assert {name for name in closure if name.startswith("orthoprox.reproduce")} <= {
        f"orthoprox.reproduce.studies.{name}"
        for name in ("batch", "costs", "formula", "matching", "methods", "quadratics", "spca", "study")
    }


@pytest.mark.parametrize("solver", ["lsalm", "adaptive"])
def test_the_code_of_the_default_call_is_that_of_all_its_parts_but_nothing_that_shows(solver):
    closure = sources().closure(parts("default", solver))
    whole = {"orthoprox.minimize", "orthoprox.starts.search", "orthoprox._adaptive.first_order", "orthoprox._run.hops"}
    assert whole <= closure
    assert not {name for name in closure if name.startswith(("orthoprox.cli", "orthoprox._run.plot", "orthoprox.reports"))}


def test_the_code_of_one_method_is_not_that_of_another():
    closure = sources().closure(parts("spca", "lsalm"))
    methods = {kind.__module__ for kind in orthoprox.SOLVERS.values()}
    assert methods & closure == {"orthoprox.solvers.lsalm", "orthoprox.solvers.rsm"}, "RSM improves the start of this study"


def test_another_method_changes_only_its_own_rows(copy):
    lsalm, soc = found(copy), found(copy, SOC)
    file = copy / "solvers" / "soc.py"
    file.write_text(file.read_text() + "\nNEW = 1\n")
    assert found(copy) == lsalm
    assert found(copy, SOC) != soc


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("_linalg/stiefel.py", "def ", "def new():\n    return 1\n\n\ndef "),
        ("solvers/lsalm.py", "p.beta * (X - Z)", "p.beta * (Z - X)"),
        ("solvers/lsalm.py", '"beta": 0.9', '"beta": 0.8'),
        ("nonsmooth/separable.py", "self", "this"),
        ("_run/ending.py", "STALLED_STEPS = 100", "STALLED_STEPS = 101"),
        ("reproduce/studies/study.py", '"iterations"', '"iteration"'),
        ("reproduce/studies/spca.py", "k**-0.75", "k**-0.5"),
        ("problems/sparse_pca.py", "import", "import os\nimport"),
    ],
)
def test_code_that_makes_the_numbers_changes_it(copy, name, old, new):
    before = found(copy)
    edit(copy / name, old, new)
    assert found(copy) != before


@pytest.mark.parametrize(
    "name",
    [
        "__init__.py",
        "checks.py",
        "minimize.py",
        "_run/plot.py",
        "_run/progress.py",
        "solvers/__init__.py",
        "problems/compressed_modes.py",
        "reproduce/run.py",
        "reproduce/table.py",
        "reproduce/ledger.py",
        "reproduce/workers.py",
        "reproduce/studies/__init__.py",
        "reproduce/studies/matching.py",
        "reproduce/sections/ranges.py",
        "smooth/matching.py",
    ],
)
def test_other_code_does_not_change_it(copy, name):
    before = found(copy)
    file = copy / name
    file.write_text(file.read_text() + "\nNEW = 1\n")
    assert found(copy) == before


@pytest.mark.parametrize(
    "edits",
    [
        [("# Algorithm 1, line 3", "# the third line"), ("        # Algorithm 1, line 4\n", "")],
        [('"""The iterates."""', '"""What is iterated."""'), ("Algorithm 1 of the paper.", "It.")],
        [("Return the residuals of the paper's stopping rules", "Return some residuals")],
        [("        Z = Z + p.beta * (X - Z)", "        Z = (\n            Z + p.beta * (X - Z)\n        )\n")],
        [('"prox"', "'prox'")],
    ],
    ids=["comments", "docstrings", "docstring of a method", "layout", "quotes"],
)
def test_comments_docstrings_and_layout_do_not_change_it(copy, edits):
    before = found(copy)
    for old, new in edits:
        edit(copy / "solvers/lsalm.py", old, new)
    assert found(copy) == before


def test_a_module_that_moves_does_not_change_it(copy):
    """With all who import it: into another folder, under another name."""
    before = found(copy)
    (copy / "_linalg" / "stiefel.py").rename(copy / "smooth" / "sizes.py")
    for file in copy.rglob("*.py"):
        text = file.read_text()
        file.write_text(text.replace("orthoprox._linalg.stiefel", "orthoprox.smooth.sizes"))
    assert found(copy) == before


def test_a_module_that_is_parted_changes_it(copy):
    before = found(copy)
    edit(copy / "solvers" / "lsalm.py", "\n\n\n", "\n\nfrom orthoprox.smooth import matching\n\n\n")
    assert found(copy) != before


def test_the_fingerprint_is_computed_once(monkeypatch):
    first = fingerprint(LSALM)
    monkeypatch.setattr(orthoprox, "__file__", "/nowhere/__init__.py")
    assert fingerprint(LSALM) == first
