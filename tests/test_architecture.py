"""The rules of the house, read off the source."""

import ast
from pathlib import Path

import pytest

import orthoprox

SOURCE = Path(orthoprox.__file__).parent

# Imports point from right to left only: a module may import from its own layer's left, and from its own package.
LAYERS = [
    ["_arrays"],
    ["_inputs", "terms", "clock"],
    ["kernels"],
    ["products"],
    ["entries"],
    ["stiefel"],
    ["fused", "sets", "krylov", "stream", "linesearch", "curvature", "moreau"],
    ["inverse", "resolvent"],
    ["smooth", "nonsmooth"],
    ["problem"],
    ["certificate"],
    ["metrics"],
    ["face"],
    ["polish"],
    ["snapshot"],
    ["stopping"],
    ["theory", "ending", "pool"],
    ["solvers"],
    ["result"],
    ["solve", "plot"],
    ["starts", "progress"],
    ["search", "multistart"],
    ["finish"],
    ["minimize"],
    ["path"],
    ["checks", "datasets", "assignment"],
    ["problems"],
    ["experiments"],
    ["cli"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
DEFERRED = {("result", "plot")}  # Result.plot imports matplotlib when it is called


def modules():
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def room(path):
    """The top-level module or package that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """The rooms of orthoprox that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("orthoprox."))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "orthoprox":
            parts = node.module.split(".")
            yield from [parts[1]] if len(parts) > 1 else [name.name for name in node.names]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    here = room(path)
    for there in imports(path):
        if there != here and (here, there) not in DEFERRED:
            assert LEVEL[there] < LEVEL[here], f"{here} imports {there}, which stands to its right or beside it"


def test_every_room_has_a_place():
    assert {room(path) for path in modules()} == set(LEVEL)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_are_small(path):
    assert len(path.read_text().splitlines()) <= 250


PURE = [path for path in modules() if room(path) in {"solvers", "smooth", "nonsmooth"}]


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(SOURCE)))
def test_terms_and_methods_have_no_clock_no_print_no_randomness(path):
    for node in ast.walk(ast.parse(path.read_text())):
        imported = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {name.split(".")[0] for name in imported} & {"time", "random", "torch", "jax", "warnings"}
        assert not (isinstance(node, ast.Name) and node.id == "print")
        assert not (isinstance(node, ast.Attribute) and node.attr == "random" and ast.unparse(node.value) == "np")


def test_only_the_array_module_asks_for_libraries():
    for path in modules():
        if path.name != "_arrays.py":
            assert "__array_namespace__" not in path.read_text(), path


def test_public_names():
    for name in orthoprox.__all__:
        assert getattr(orthoprox, name).__doc__
