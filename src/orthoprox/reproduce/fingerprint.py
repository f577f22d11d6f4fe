"""Which code made a number: a hash of the sources that determine it."""

import ast
import hashlib
from functools import cache
from pathlib import Path

import orthoprox

_SHOWING = {"__init__.py", "cli.py", "plot.py", "progress.py", "checks.py"}  # show, check or export, but make no numbers
_MAKING = {
    "batch.py",
    "formula.py",
    "matching.py",
    "methods.py",
    "quadratics.py",
    "spca.py",
    "study.py",
}  # make them, in this package


@cache
def fingerprint() -> str:
    """Return a hash of the sources of methods, terms and studies; layout, comments and docstrings do not count."""
    root = Path(orthoprox.__file__).parent
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        experiment = place.startswith("experiments/")
        if place not in _SHOWING and (not experiment or place.removeprefix("experiments/") in _MAKING):
            total.update(f"{place}\n{_meaning(path.read_text(encoding='utf-8'))}\n".encode())
    return total.hexdigest()[:12]


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
