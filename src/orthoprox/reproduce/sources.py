"""The sources of a package: which of them determine what a module computes, and a hash of what they
mean.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from orthoprox.reproduce.source import Name, Source, source


class Sources:
    """The modules of a package as they lie in a folder, read but not imported.

    An import through a package is followed by name to the module that defines it, as the package's
    own imports tell. A name that a package assigns itself, such as a registry, leads nowhere.
    Modules in ``unread`` are left out.
    """

    def __init__(self, root: Path, *, unread: Iterable[str] = ()) -> None:
        self._root, self._unread = root, frozenset(unread)
        self._known: dict[str, Source] = {}

    def hash(self, modules: Iterable[str]) -> str:
        """Return a hash of what some modules and all that they import mean; names, places and
        layout do not count.
        """
        meanings = sorted(self._source(name).meaning for name in self.closure(modules))
        return hashlib.sha256("\n".join(meanings).encode()).hexdigest()[:12]

    def closure(self, modules: Iterable[str]) -> set[str]:
        """Return some modules with all that they import of the package, directly or not."""
        found: set[str] = set()
        left = set(modules)
        while left:
            found |= left
            left = {place for name in left for place in self._imported(name)} - found
        return found

    def _imported(self, module: str) -> set[str]:
        return {place for name in self._source(module).uses(self._is_package) for place in self._defining(name)}

    def _defining(self, name: Name) -> set[str]:
        """Return the modules that define a name; all that a package imports, if it is the package
        itself.
        """
        for end in range(len(name), 0, -1):
            place, rest = ".".join(name[:end]), name[end:]
            if self._file(place).is_file():
                return {place} - self._unread
            if self._is_package(place):
                bound = self._source(place).bound
                inner = [(*bound[rest[0]], *rest[1:])] if rest and rest[0] in bound else [] if rest else list(bound.values())
                return {module for each in inner for module in self._defining(each)}
        return set()

    def _source(self, place: str) -> Source:
        if place not in self._known:
            file = self._package(place) if self._is_package(place) else self._file(place)
            self._known[place] = source(file.read_text(encoding="utf-8"), self._root.name)
        return self._known[place]

    def _is_package(self, place: str) -> bool:
        return self._package(place).is_file()

    def _package(self, place: str) -> Path:
        return self._root.joinpath(*place.split(".")[1:], "__init__.py")

    def _file(self, place: str) -> Path:
        *folders, last = place.split(".")
        return self._root.joinpath(*folders[1:], f"{last}.py")
