"""A file of a JSON header and named arrays: an .npz archive, which ``np.load`` reads as well.

A file is written whole or not at all. Equal contents give equal bytes. Nothing is pickled: a file
cannot run code.
"""

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np

from orthoprox._arrays.words import shown
from orthoprox.files.whole import whole

FORMAT = "orthoprox"
VERSION = 1  # of the layout of files; a reader knows all up to its own

Arrays = dict[str, np.ndarray[Any, Any]]
Header = dict[str, Any]
_HEADER = "header.json"
_NAME = re.compile(r"[\w. -]+")
_DAMAGE = (  # what zipfile, json and NumPy raise where bytes are wrong
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RuntimeError,
    OverflowError,
)


def write(path: Any, kind: str, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a header, which JSON can hold, and arrays of numbers to a file, whole or not at all.

    Parameters
    ----------
    path : str or os.PathLike
        Where to; a file that is there is replaced.
    kind : str
        What the file holds, such as "Result".
    """
    place = path_of(path)
    contents = {name: _numbers(array, name) for name, array in arrays.items()}
    about = {"format": FORMAT, "version": VERSION, "kind": kind, "arrays": list(contents), "header": dict(header)}
    with whole(place) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_entry(_HEADER), json.dumps(about, allow_nan=False, indent=1))
        for name, array in contents.items():
            with archive.open(_entry(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read(path: Any, kind: str) -> tuple[Header, Arrays]:
    """Return the header and the arrays of a file of this kind; every byte of them is checked."""
    place = path_of(path)
    if not os.path.isfile(place):
        raise FileNotFoundError(f"There is no file {place!r}; check the path.")
    with open(place, "rb") as file:
        content = file.read()
    if not zipfile.is_zipfile(BytesIO(content)):
        raise ValueError(f"{place!r} {_no_archive(content[:4])}")
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            about: Any = json.loads(archive.read(_HEADER)) if _HEADER in archive.namelist() else None
            refusal = _refusal(about, kind)
            if refusal is None:
                return about["header"], {name: _array(archive, name) for name in about["arrays"]}
    except _DAMAGE as error:
        raise ValueError(f"{place!r} is damaged: {error}. Copy or write it again.") from error
    raise ValueError(f"{place!r} {refusal}")


def _refusal(about: Any, kind: str) -> str | None:
    """Return why an archive with this header is none to read, or None."""
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        return f"is an archive, but not a file of orthoprox: no {_HEADER} says so."
    if about["version"] > VERSION:
        version = about["version"]
        return f"has version {version} of the format, this orthoprox reads up to {VERSION}; upgrade orthoprox."
    if about["kind"] != kind:
        return f"holds a {about['kind']}, not a {kind}; load it as what it is."
    return None


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray[Any, Any]:
    data = BytesIO(archive.read(f"{name}.npy"))  # read as a whole, which compares the checksum
    array: np.ndarray[Any, Any] = np.lib.format.read_array(data, allow_pickle=False)
    return array


def _no_archive(start: bytes) -> str:
    if len(start) < 4 or start == b"PK\x03\x04":
        return "is cut short: its end is missing. Copy or write it again."
    return f"is not a file of orthoprox: it begins with {start!r}."


def _entry(name: str) -> zipfile.ZipInfo:
    """Return a member that is stored as it is, without the date."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_STORED
    entry.external_attr = 0o644 << 16
    return entry


def _numbers(value: Any, name: str) -> np.ndarray[Any, Any]:
    if not _NAME.fullmatch(name):
        raise ValueError(f"The array name {name!r} does not fit a file; it needs letters, digits and any of '_. -'.")
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(f"{name} has dtype {array.dtype}; a file holds numbers and text of fixed length, not objects.")
    return array


def path_of(path: Any) -> str:
    """Return the path of a file as text, if it is one."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {shown(path)}; it needs a str or a pathlib.Path.")
    place = os.fspath(path)
    if not isinstance(place, str) or not place or "\0" in place:
        raise ValueError(f"path is {shown(place)}; it needs the name of a file.")
    return place
