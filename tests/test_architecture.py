"""The rules of the house, read off the source."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import orthoprox

SOURCE = Path(orthoprox.__file__).parent
ROOT = Path(__file__).parents[1]

# The rooms, from the ground up, and the rooms that each may import. Modules at the root are the
# front door: only the last two rooms import them, and what users type (``orthoprox.solve``, ...).
ROOMS = {
    "_arrays": "",
    "_linalg": "_arrays",
    "streams": "_arrays",
    "files": "_arrays",
    "tables": "_arrays streams",
    "reports": "_arrays",
    "smooth": "_arrays _linalg streams",
    "nonsmooth": "_arrays _linalg",
    "datasets": "_arrays",
    "problems": "_arrays smooth nonsmooth",
    "_certify": "_arrays _linalg smooth nonsmooth problems",
    "stopping": "_arrays files problems _certify",
    "paper": "_arrays _linalg smooth problems",
    "_adaptive": "_arrays _linalg smooth nonsmooth problems _certify",
    "solvers": "_arrays _linalg smooth nonsmooth problems _certify stopping paper _adaptive",
    "starts": "_arrays _linalg files smooth nonsmooth problems stopping _adaptive",
    "_run": "_arrays _linalg streams files smooth nonsmooth problems _certify stopping _adaptive solvers starts",
    "estimators": "front-door _arrays streams files smooth nonsmooth problems stopping _run",
    "reproduce": "front-door _arrays _linalg files smooth nonsmooth datasets problems solvers stopping _run",
    "cli": "front-door _arrays _linalg streams files tables reports smooth nonsmooth stopping _adaptive solvers reproduce",
}
FRONT_DOOR = "front-door"
LARGEST_ROOT, DEEPEST = 9, 13  # modules at the root; modules in the longest chain of imports
LONGEST, LONGEST_TEST = 300, 400  # lines of a file
MOST_ARGUMENTS = 5  # positional ones


def name(path):
    return ".".join(("orthoprox", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def room(module):
    """The folder that a module belongs to, or the front door for modules at the root."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (SOURCE / parts[1]).is_dir() else FRONT_DOOR


@cache
def imports(module):
    """The modules of orthoprox that a module imports; the public names of the package are one
    module.
    """
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text())) if module != "orthoprox" else ():
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {full if full in MODULES else node.module for full in names}
    return {other for other in found if other in MODULES and other != module}


DEPTH = {}


def depth(module, above=()):
    """The number of modules in the longest chain of imports from a module down; a cycle within a
    room is cut.
    """
    if module in above:
        return 0
    if module not in DEPTH:
        DEPTH[module] = 1 + max((depth(other, (*above, module)) for other in imports(module)), default=0)
    return DEPTH[module]


@pytest.mark.parametrize("module", MODULES)
def test_rooms_import_only_what_they_may(module):
    here = room(module)
    allowed = {*ROOMS.get(here, " ".join(ROOMS)).split(), here}
    for other in imports(module):
        assert room(other) in allowed, f"{here} must not import {room(other)}, as {module} does with {other}"


def test_no_two_rooms_import_each_other():
    order = list(ROOMS)
    for here, allowed in ROOMS.items():
        assert all(order.index(there) < order.index(here) for there in allowed.split() if there != FRONT_DOOR)


def test_every_room_says_what_it_may_import():
    """The docstring of each room ends with the line that the table above has."""
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == set(ROOMS)
    for here, allowed in ROOMS.items():
        words = " ".join(ast.get_docstring(ast.parse((SOURCE / here / "__init__.py").read_text())).split())
        said = re.search(r"Imports (no other room|the .*)\.$", words)
        assert said, f"{here} does not say what it imports"
        named = [] if said[1] == "no other room" else re.findall(r"[\w-]+", said[1])
        assert [word for word in named if word not in ("the", "rooms", "and")] == allowed.split(), here


def test_the_map_of_contributing_shows_every_room():
    """CONTRIBUTING lists the rooms in the order of the table above, and the modules of the front
    door.
    """
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rooms = re.findall(r"^\| `(\w+)/` \|", text, flags=re.MULTILINE)
    assert rooms == list(ROOMS)
    front = re.search(r"^\| (`[^|]*\.py`) \|", text, flags=re.MULTILINE)[1]
    assert sorted(re.findall(r"`(\w+)\.py`", front)) == sorted(path.stem for path in SOURCE.glob("*.py"))


def test_the_house_stays_small():
    assert len(list(SOURCE.glob("*.py"))) <= LARGEST_ROOT
    deepest = max(MODULES, key=depth)
    assert depth(deepest) <= DEEPEST, f"{deepest} stands on {depth(deepest) - 1} others"


@pytest.mark.parametrize("path", sorted([*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]), ids=lambda path: path.stem)
def test_files_are_small(path):
    assert len(path.read_text().splitlines()) <= (LONGEST if path.is_relative_to(SOURCE) else LONGEST_TEST), path


@pytest.mark.parametrize("module", MODULES)
def test_functions_take_few_positional_arguments(module):
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            given = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
            counted = [argument for argument in given if argument not in ("self", "cls")]
            assert len(counted) <= MOST_ARGUMENTS, f"{module}: {getattr(node, 'name', 'lambda')}({', '.join(given)})"


PURE = [module for module in MODULES if room(module) in {"solvers", "smooth", "nonsmooth", "_adaptive"}]


@pytest.mark.parametrize("module", PURE)
def test_terms_and_methods_have_no_clock_no_print_no_randomness(module):
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {full.split(".")[0] for full in imported} & {"time", "random", "torch", "jax", "warnings"}
        assert not (isinstance(node, ast.Name) and node.id == "print")
        if module != "orthoprox.smooth.curvature":  # whose power method starts from a fixed random matrix
            assert not (isinstance(node, ast.Attribute) and node.attr == "random" and ast.unparse(node.value) == "np")


def test_only_the_array_room_asks_for_libraries():
    for module, path in MODULES.items():
        if room(module) != "_arrays":
            assert "__array_namespace__" not in path.read_text(), module


MIRRORED = {"faults": SOURCE / "files", "benchmarks": ROOT / "benchmarks", "docs": ROOT / "docs", "examples": ROOT / "examples"}


def test_tests_mirror_the_source():
    """tests/<room>/test_<module>.py tests src/orthoprox/<room>/<module>.py, or the room as a whole
    by one aspect.
    """
    for path in (ROOT / "tests").rglob("test_*.py"):
        folder = path.parent.relative_to(ROOT / "tests")
        first = folder.parts[0] if folder.parts else ""
        place = MIRRORED[first].joinpath(*folder.parts[1:]) if first in MIRRORED else SOURCE / folder
        assert place.is_dir(), f"{path} mirrors no folder"


def test_public_names():
    for public in orthoprox.__all__:
        assert getattr(orthoprox, public).__doc__
