"""The file of a checkpoint: who may write it, and what it survives."""

import errno
import os

import numpy as np
import pytest

from orthoprox.files import archive, whole
from orthoprox.files.checkpoint import Checkpoint, past_of

CALL = {"tol": "1e-06"}


def differ(before, now):
    return "" if before == now else "tol is another."


def opened(path, *, resume=False, described=CALL):
    return Checkpoint(path, described, resume=resume, differ=differ, kinds={})


def tree(value=1.0):
    return ("root", [("unit", np.full((3, 2), value), None)], None, None, None)


def write_all(file, *values):
    for value in values:
        file.write(tree(value), {})


def found(path):
    """The value of the first unit in the file."""
    with opened(path, resume=True) as file:
        past, finished = past_of(file.content, file.place, set(), np.asarray, {})
        assert finished is None
        return past.reader.value(past.done[0][1])


def test_a_tree_is_written_and_read(tmp_path):
    with opened(tmp_path / "run.npz") as file:
        file.write(tree(2.0), {})
    assert np.array_equal(found(tmp_path / "run.npz"), np.full((3, 2), 2.0))
    assert sorted(os.listdir(tmp_path)) == ["run.npz"]


def test_what_was_returned_in_the_end_is_read(tmp_path):
    with opened(tmp_path / "run.npz") as file:
        file.write([1, 2.5], {}, finished=True)
    with opened(tmp_path / "run.npz", resume=True) as file:
        assert past_of(file.content, file.place, set(), np.asarray, {}) == (None, [1, 2.5])
        assert file.resumed == 1


def test_a_file_that_is_there_is_never_overwritten_unasked(tmp_path):
    path = tmp_path / "run.npz"
    path.write_bytes(b"a thesis")
    with pytest.raises(FileExistsError, match="resume=True"):
        opened(path)
    assert path.read_bytes() == b"a thesis"
    assert os.listdir(tmp_path) == ["run.npz"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a thesis", "is not a file of orthoprox"),
        (b"", "is cut short"),
        ("cut", "is cut short|is damaged"),
        ("flipped", "is damaged"),
        ("newer", "upgrade orthoprox"),
        ("result", "holds a Result, not a Checkpoint"),
        ("other", "is of another call: tol is another"),
    ],
)
def test_what_is_no_checkpoint_of_this_call_is_refused_and_stays(tmp_path, monkeypatch, content, message):
    path = tmp_path / "run.npz"
    with opened(path, described={"tol": "1"} if content == "other" else CALL) as file, monkeypatch.context() as patch:
        patch.setattr(archive, "VERSION", 2 if content == "newer" else 1)
        file.write(tree(), {})
    good = path.read_bytes()
    if content == "result":
        archive.write(path, "Result", {}, {})
    elif content == "cut":
        path.write_bytes(good[: len(good) // 2])
    elif content == "flipped":
        middle = good.index(np.full((3, 2), 1.0).tobytes())
        path.write_bytes(good[:middle] + b"\1" + good[middle + 1 :])
    elif isinstance(content, bytes):
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        opened(path, resume=True)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.npz"]


def test_one_run_at_a_time(tmp_path):
    path = tmp_path / "run.npz"
    with opened(path):
        for same in (path, tmp_path / "." / "run.npz"):
            with pytest.raises(RuntimeError, match="Another run uses the checkpoint"):
                opened(same, resume=True)
    opened(path).close()
    assert os.listdir(tmp_path) == []


def test_a_file_that_was_deleted_is_written_again(tmp_path):
    path = tmp_path / "run.npz"
    with opened(path) as file:
        file.write(tree(1.0), {})
        path.unlink()
        file.write(tree(2.0), {})
    assert found(path)[0, 0] == 2.0


@pytest.mark.parametrize("at_once", [True, False])
def test_a_file_that_was_replaced_is_not_overwritten(tmp_path, at_once):
    path = tmp_path / "run.npz"
    with opened(path) as file:
        if not at_once:
            file.write(tree(1.0), {})
            path.unlink()
        path.write_bytes(b"a thesis")
        with pytest.warns(RuntimeWarning, match="was replaced by another file") as warned:
            write_all(file, 2.0, 3.0)
    assert len(warned) == 1
    assert path.read_bytes() == b"a thesis"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_refuses_leaves_the_old_file_and_one_warning(tmp_path, monkeypatch, code):
    path = tmp_path / "run.npz"

    def refuse(handle):
        raise OSError(code, os.strerror(code))

    with opened(path) as file:
        file.write(tree(1.0), {})
        monkeypatch.setattr(whole.os, "fsync", refuse)
        with pytest.warns(RuntimeWarning, match="could not be written") as warned:
            write_all(file, 2.0, 3.0)
        assert len(warned) == 1
        monkeypatch.undo()
        assert np.array_equal(np.load(path)["0"], np.ones((3, 2)))
        file.write(tree(4.0), {})  # there is room again
    assert found(path)[0, 0] == 4.0
    assert os.listdir(tmp_path) == ["run.npz"]


def test_drafts_of_a_process_that_was_killed_are_removed(tmp_path):
    (tmp_path / ".run.npz.0123456789abcdef").write_bytes(b"half a file")
    (tmp_path / ".run.npz.notes").write_bytes(b"mine")
    opened(tmp_path / "run.npz").close()
    assert os.listdir(tmp_path) == [".run.npz.notes"]


def test_bad_places(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        opened(tmp_path / "nowhere" / "run.npz")
    with pytest.raises(ValueError, match="is a folder"):
        opened(tmp_path)
    with pytest.raises(TypeError, match=r"needs a str or a pathlib\.Path"):
        opened(3)
