"""The reader and writer of files: what is read is what was written, or an error says why not."""

import json
import os
import zipfile

import numpy as np
import pytest

from orthoprox.files import archive
from orthoprox.files.archive import read, write

HEADER = {"words": "X'X = I, ä", "numbers": [1, 0.1, -2.5e-300], "nested": {"none": None, "yes": True}}
ARRAYS = {
    "X": np.random.default_rng(0).standard_normal((7, 3)),
    "single": np.arange(4, dtype=np.float32)[::-2],
    "Fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "flags": np.array([True, False]),
    "scalar": np.array(3),
    "empty": np.zeros((0, 2)),
    "big endian": np.arange(3, dtype=">f8"),
    "names": np.array(["a", "äö"]),
    "odd numbers": np.array([np.nan, -np.inf, -0.0]),
}


def same(found, arrays):
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()  # also NaN and the sign of zero


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.npz"


@pytest.fixture
def content(path):
    """The bytes of a small file."""
    write(path, "Test", {"a": 1}, {"X": np.arange(5.0)})
    return path.read_bytes()


def test_what_is_read_is_what_was_written(path):
    """Bit for bit, whatever the dtype."""
    write(path, "Test", HEADER, ARRAYS)
    header, arrays = read(str(path), "Test")
    assert header == HEADER
    same(arrays, ARRAYS)


def test_numpy_reads_the_arrays(path):
    write(path, "Test", HEADER, ARRAYS)
    with np.load(path) as found:
        np.testing.assert_array_equal(found["X"], ARRAYS["X"])
        assert json.loads(found["header.json"])["header"] == HEADER


def test_equal_contents_are_equal_bytes(path, content):
    write(path, "Test", {"a": 1}, {"X": np.arange(5.0)})
    assert path.read_bytes() == content


def test_a_file_cut_short_is_refused(path, content):
    """Wherever it ends."""
    for length in range(0, len(content), 3):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"file\.npz' is (cut short|damaged)"):
            read(path, "Test")


def test_a_changed_byte_is_refused_or_changes_nothing(path, content):
    """Every byte of the header and the arrays is checked; others, such as dates, do not matter."""
    messages = []
    for position in range(len(content)):
        spoiled = bytearray(content)
        spoiled[position] ^= 0xFF if position % 2 else 0x01
        path.write_bytes(spoiled)
        try:
            header, arrays = read(path, "Test")
        except ValueError as error:
            messages.append(str(error))
        else:
            assert header == {"a": 1}
            same(arrays, {"X": np.arange(5.0)})
    assert len(messages) > len(content) / 2
    assert all("file.npz'" in message for message in messages)


@pytest.mark.parametrize(
    ("foreign", "message"),
    [
        (b"", "cut short"),
        (b"a,b\n1,2\n", r"is not a file of orthoprox: it begins with b'a,b"),
        (b"\x93NUMPY" + 100 * b"x", "is not a file of orthoprox"),
        (b"\x80\x04\x95" + 100 * b"x", "is not a file of orthoprox"),
    ],
    ids=["empty", "text", "npy", "pickle"],
)
def test_foreign_files_are_named(path, foreign, message):
    path.write_bytes(foreign)
    with pytest.raises(ValueError, match=message):
        read(path, "Test")


def test_foreign_archives_are_named(path):
    np.savez(path, X=np.eye(2))
    with pytest.raises(ValueError, match="is an archive, but not a file of orthoprox"):
        read(path, "Test")
    for text in ("[]", '{"format": "other"}', "{}"):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("header.json", text)
        with pytest.raises(ValueError, match="is an archive, but not a file of orthoprox: no header"):
            read(path, "Test")


@pytest.mark.parametrize("about", [{}, {"version": 1}, {"version": "x"}, {"version": 1, "kind": "Test", "arrays": ["X"]}])
def test_a_header_that_lacks_something_is_damaged(path, about):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps({"format": "orthoprox", **about}))
    with pytest.raises(ValueError, match=r"file\.npz' is damaged"):
        read(path, "Test")


def test_pickles_are_not_read(path):
    """An array of objects in an archive that is otherwise whole is refused, not run."""
    with zipfile.ZipFile(path, "w") as file:
        about = {"format": "orthoprox", "version": 1, "kind": "Test", "arrays": ["X"], "header": {}}
        file.writestr("header.json", json.dumps(about))
        with file.open("X.npy", "w") as member:
            np.lib.format.write_array(member, np.array([object]), allow_pickle=True)
    with pytest.raises(ValueError, match=r"file\.npz' is damaged: Object arrays cannot be loaded"):
        read(path, "Test")


def test_a_newer_file_asks_for_a_newer_library(path, monkeypatch):
    monkeypatch.setattr(archive, "VERSION", 2)
    write(path, "Test", {}, {})
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has version 2 of the format, this orthoprox reads up to 1; upgrade orthoprox"):
        read(path, "Test")


def test_another_kind_is_named(path, content):
    del content
    with pytest.raises(ValueError, match="holds a Test, not a Result"):
        read(path, "Result")


def test_a_missing_file_is_named(path):
    with pytest.raises(FileNotFoundError, match=r"There is no file '.*file\.npz'; check the path"):
        read(path, "Test")
    with pytest.raises(FileNotFoundError, match=r"There is no folder '.*no'.*; create it first"):
        write(path.parent / "no" / "file", "Test", {}, {})
    with pytest.raises(ValueError, match="is a folder; name a file in it"):
        write(path.parent, "Test", {}, {})
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read(path.parent, "Test")


@pytest.mark.parametrize(("bad", "error"), [(3, TypeError), (None, TypeError), ("", ValueError), ("a\0b", ValueError)])
def test_what_is_no_path_is_named(bad, error):
    for call in (lambda: read(bad, "Test"), lambda: write(bad, "Test", {}, {})):
        with pytest.raises(error, match=r"path is .*; it needs"):
            call()


def test_objects_and_odd_names_are_not_written(path):
    with pytest.raises(TypeError, match="X has dtype object; a file holds numbers"):
        write(path, "Test", {}, {"X": np.array([object()])})
    with pytest.raises(ValueError, match=r"array name '\.\./x' does not fit"):
        write(path, "Test", {}, {"../x": np.eye(2)})
    with pytest.raises(ValueError, match="Out of range float"):
        write(path, "Test", {"a": float("nan")}, {})
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("step", ["fsync", "replace", "write_array"])
def test_a_failure_leaves_the_old_file_and_nothing_else(path, content, monkeypatch, step):
    """Whatever fails while a file is written."""

    def fail(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(np.lib.format if step == "write_array" else os, step, fail)
    with pytest.raises(OSError, match="no space left"):
        write(path, "Test", {"a": 2}, {"X": np.eye(3)})
    monkeypatch.undo()
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


def test_the_place_is_taken_once_the_draft_is_on_disk(path, content, monkeypatch):
    """The old file is whole until the new one has reached the disk."""
    steps, fsync, replace = [], os.fsync, os.replace

    def synced(handle):
        steps.append(("fsync", path.read_bytes() == content))
        fsync(handle)

    def replaced(*names):
        steps.append(("replace", path.read_bytes() == content))
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    write(path, "Test", {"a": 2}, {})
    assert steps[:2] == [("fsync", True), ("replace", True)]
    assert read(path, "Test")[0] == {"a": 2}


@pytest.mark.skipif(os.name != "posix", reason="links and modes are those of POSIX")
def test_links_and_modes_are_kept(path, content):
    """A link stays a link to the file that is replaced, whose mode is that of any new file."""
    del content
    link, plain = path.with_name("link"), path.with_name("plain")
    link.symlink_to(path)
    plain.write_text("")
    write(link, "Test", {"a": 3}, {})
    assert link.is_symlink()
    assert read(path, "Test")[0] == {"a": 3}
    assert path.stat().st_mode == plain.stat().st_mode
