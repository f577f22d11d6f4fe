"""The file of a computation that goes on after its process has ended, and who may write it."""

import os
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import IO, Any

from orthoprox.files import locks
from orthoprox.files.archive import path_of, read, write
from orthoprox.files.journal import Past
from orthoprox.files.plain import Reader, Writer

KIND = "Checkpoint"
_HELD: set[str] = set()  # the checkpoints of this process: its locks keep only others away
_ADVICE = "The run goes on."

Described = dict[str, Any]
"""What a computation is made of, by name: text and numbers, which JSON can hold."""

Content = tuple[Any, Any] | None
"""The header and the arrays of a file, if there is one."""


def past_of(
    content: Content, place: str, modules: set[str], foreign: Callable[[Any], Any], known: Mapping[str, Any]
) -> tuple[Past | None, Any]:
    """Return the journal that an earlier process has left, or None, and what the computation has
    returned in the end, or None. ``known`` are objects that no file holds.
    """
    if content is None:
        return None, None
    header, arrays = content
    try:
        reader = Reader(header["nodes"], arrays, modules, foreign)
        reader.known.update(known)
        if header["finished"]:
            return None, reader.value(header["tree"])
        return Past(reader, header["tree"]), None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ValueError(f"{place!r} is damaged: {error}. It is left as it is; choose another file.") from error


class Checkpoint:
    """A file that one process at a time writes, while its block lasts.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    described : mapping
        What identifies the computation. A file of another one is refused.
    resume : bool
        Whether to go on from a file that is there; otherwise it is refused.
    differ : callable
        (what the file says, what is described) -> how they differ, or an empty text.
    kinds : mapping
        Classes whose objects no file holds, by names.
    """

    def __init__(
        self,
        path: Any,
        described: Described,
        *,
        resume: bool,
        differ: Callable[[Described, Described], str],
        kinds: Mapping[str, type],
    ) -> None:
        self.place, self.described, self.resumed = os.path.realpath(path_of(path)), described, 0
        self._kinds = kinds
        self._warned = self._useless = False
        self._lock = _locked(self.place)
        self._content: Content = None
        try:
            self._seen = _stamp(self.place)
            if self._seen is not None:
                self._content = self._read(resume, differ)
            _remove_drafts(self.place)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def content(self) -> Content:
        """What was read: the header and the arrays, or None if there was no file."""
        return self._content

    def write(self, tree: Any, known: Mapping[str, Any], *, finished: bool = False) -> None:
        """Write the tree of pages, or what the computation has returned. Where the disk does not
        allow it, the old file stays and a warning is issued once.
        """
        if self._useless:
            return
        seen = _stamp(self.place)
        if seen is not None and seen != self._seen:
            self._useless = True
            return self._warn(f"The checkpoint {self.place!r} was replaced by another file, which is not overwritten.")
        writer = Writer(known, self._kinds)
        part = writer.add(tree)
        header = {
            "call": self.described,
            "resumed": self.resumed,
            "finished": finished,
            "tree": part,
            "nodes": writer.nodes,
        }
        try:
            write(self.place, KIND, header, writer.arrays)
            self._seen = _stamp(self.place)
        except OSError as error:
            self._warn(f"The checkpoint {self.place!r} could not be written: {error}. What was there before stays.")

    def close(self) -> None:
        """Let others use the file."""
        _HELD.discard(self.place)
        with suppress(OSError):
            os.remove(self._lock.name)
        self._lock.close()

    def _read(self, resume: bool, differ: Callable[[Described, Described], str]) -> tuple[Any, Any]:
        if not resume:
            raise FileExistsError(
                f"There is a file {self.place!r} already. Pass resume=True (--resume) to go on from it, "
                "or remove it to begin anew."
            )
        header, arrays = read(self.place, KIND)
        difference = differ(header["call"], self.described)
        if difference:
            raise ValueError(f"The checkpoint {self.place!r} is of another call: {difference} Name another file.")
        self.resumed = header["resumed"] + 1
        return header, arrays

    def _warn(self, message: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(f"{message} {_ADVICE}", RuntimeWarning, stacklevel=2)


def _locked(place: str) -> IO[bytes]:
    """Return the open file that says that this process uses the checkpoint."""
    folder, name = os.path.split(place)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"There is no folder {folder!r} for the checkpoint {name!r}; create it first.")
    if os.path.isdir(place):
        raise ValueError(f"{place!r} is a folder; name a file in it as the checkpoint.")
    taken = f"Another run uses the checkpoint {place!r}; wait for its end, or name another file."
    if place in _HELD:
        raise RuntimeError(taken)
    while True:
        file = open(f"{place}.lock", "ab")  # noqa: SIM115
        if not locks.take(file, 0):
            file.close()
            raise RuntimeError(taken)
        with suppress(OSError):  # it may have been removed by its last owner meanwhile
            if os.path.samestat(os.fstat(file.fileno()), os.stat(file.name)):
                _HELD.add(place)
                return file
        file.close()


def _stamp(place: str) -> tuple[int, ...] | None:
    """Return what tells a file from another one at the same place, or None if there is none."""
    try:
        found = os.stat(place)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def discard(place: str) -> None:
    """Remove a checkpoint that nobody needs, with what a process has left that was killed."""
    for path in (place, f"{place}.lock"):
        with suppress(OSError):
            os.remove(path)
    _remove_drafts(place)


def _remove_drafts(place: str) -> None:
    """Remove what a process has left that was killed while it wrote."""
    folder, name = os.path.split(place)
    draft = re.compile(rf"\.{re.escape(name[:100])}\.[0-9a-f]{{16}}")
    for entry in os.listdir(folder):
        if draft.fullmatch(entry):
            with suppress(OSError):
                os.remove(os.path.join(folder, entry))
