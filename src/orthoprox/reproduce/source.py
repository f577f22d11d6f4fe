"""The source of one module: what it imports of its package, and what it means."""

import ast
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any

Name = tuple[str, ...]  # in parts, such as ("orthoprox", "problems", "sparse_pca")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """The source of a module of a package."""

    def __init__(self, text: str, package: str) -> None:
        self._text, self._package = text, package

    @cached_property
    def bound(self) -> dict[str, Name]:
        """What is imported of the package, by the name that it has in the module."""
        found: dict[str, Name] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom) and node.module is not None and self._own(node.module):
                found |= {name.asname or name.name: (*node.module.split("."), name.name) for name in node.names}
            elif isinstance(node, ast.Import):
                found |= {name.asname or name.name: tuple(name.name.split(".")) for name in node.names if self._own(name.name)}
        return found

    def uses(self, is_package: Callable[[str], bool]) -> Iterator[Name]:
        """Yield the names of the package that are used: of an imported package those that are read
        from it.
        """
        packages = {local: name for local, name in self.bound.items() if is_package(".".join(name))}
        yield from (name for local, name in self.bound.items() if local not in packages)
        yield from _read(self._tree, packages)

    @cached_property
    def meaning(self) -> str:
        """The code, without imports of the package, docstrings, comments and layout; the same in
        all versions of Python.
        """
        return repr(_plain(self._tree, self._own))

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self._text)

    def _own(self, module: str) -> bool:
        return module.split(".")[0] == self._package


@cache
def source(text: str, package: str) -> Source:
    """Return the source of a module, the same one for the same text."""
    return Source(text, package)


def _read(node: ast.AST, packages: dict[str, Name]) -> Iterator[Name]:
    """Yield what is read from packages, as far as the attributes go."""
    attributes: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        attributes.insert(0, inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name) and inner.id in packages:
        yield (*packages[inner.id], *attributes)
        return
    for child in ast.iter_child_nodes(node):
        yield from _read(child, packages)


def _plain(node: Any, own: Callable[[str], bool]) -> Any:
    """Return a tree as nested tuples of what is there: no positions, nothing empty."""
    if isinstance(node, list):
        return tuple(_plain(entry, own) for entry in node if not _imports(entry, own))
    if not isinstance(node, ast.AST):
        return repr(node)
    held = dict(ast.iter_fields(node))
    if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        held["body"] = node.body[1:]
    return (type(node).__name__, *((name, _plain(value, own)) for name, value in held.items() if value not in (None, [])))


def _imports(node: Any, own: Callable[[str], bool]) -> bool:
    if isinstance(node, ast.ImportFrom):
        return own(node.module or "")
    return isinstance(node, ast.Import) and all(own(name.name) for name in node.names)
