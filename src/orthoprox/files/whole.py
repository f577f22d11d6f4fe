"""Files that are written whole or not at all.

A file is written beside its place, brought to the disk and renamed, so that at every moment the old
file or the new one is there, whole.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def whole(path: str) -> Iterator[BinaryIO]:
    """Yield a new file beside the place, which takes the place in the end if nothing went wrong."""
    place = os.path.realpath(path)
    folder, name = os.path.split(place)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"There is no folder {folder!r} to write {name!r} to; create it first.")
    if os.path.isdir(place):
        raise ValueError(f"{place!r} is a folder; name a file in it.")
    draft = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, place)
    except BaseException:
        if os.path.exists(draft):
            os.remove(draft)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Bring the new name to the disk, where folders can be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
