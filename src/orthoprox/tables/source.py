"""Where the bytes of a table come from: a file, compressed or not, or standard input."""

import gzip
import os
import sys
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from orthoprox._arrays.inputs import suggestion

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_START = 4096  # bytes that tell the format
SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".npy", ".npz", ".mtx", ".h5ad")


class Source:
    """The bytes of a table; ``label`` is its name in messages."""

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        self._content: bytes | None = None
        self.label = repr(self.path)
        if self.path == STANDARD_INPUT:
            self.label = "Standard input"
            self._content = sys.stdin.buffer.read()
        else:
            _check(self.path)
        if self._content is not None or _begins(self.path, _GZIP):
            self._unpack()
        with self.open() as file:
            self.start = file.read(_START)
        if not self.start.strip():
            raise ValueError(f"{self.label} is empty; it needs a line of names and rows of numbers.")

    @property
    def file(self) -> str | None:
        """The path of a file that can be read as it is, None for what was read or unpacked."""
        return self.path if self._content is None else None

    def open(self) -> BinaryIO:
        """Return the bytes as a file."""
        if self._content is not None:
            return BytesIO(self._content)
        return open(self.path, "rb")

    def _unpack(self) -> None:
        content = Path(self.path).read_bytes() if self._content is None else self._content
        if content.startswith(_GZIP):
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError) as error:
                raise ValueError(f"{self.label} is a damaged gzip file: {error}. Copy or write it again.") from error
        self._content = content


class Folder(Source):
    """A folder that is a table: a store of zarr, or files whose rows belong together."""

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        self.label, self.start, self._content = repr(self.path), b"", None


def stem(path: str) -> str:
    """Return the name of a table without folders and suffixes."""
    name = Path(path).name.removesuffix(".gz")
    return "table" if path == STANDARD_INPUT else Path(name).stem or "table"


def _begins(path: str, start: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(len(start)) == start


def _check(path: str) -> None:
    """Raise where there is no file to read."""
    place = Path(path)
    if place.is_dir():
        inside = sorted(entry.name for entry in place.iterdir() if entry.suffix in SUFFIXES)
        hint = f", such as {str(place / inside[0])!r}" if inside else ""
        raise IsADirectoryError(f"{path!r} is a folder; name a table in it{hint}.")
    if not place.exists():
        folder = place.parent
        names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        hint = suggestion(place.name, names) if folder.is_dir() else f" There is no folder {str(folder)!r}."
        raise FileNotFoundError(f"There is no file {path!r}; check the path.{hint}")
    if not os.access(path, os.R_OK):
        raise PermissionError(f"{path!r} cannot be read; change its permissions, as with chmod u+r.")
