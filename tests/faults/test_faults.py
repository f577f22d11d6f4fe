"""What may go wrong around a long run: kills, disks, clocks, other processes."""

import errno
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from checkpoints import same
from faults.kills import kill as kill_process
from faults.kills import killed, started
from faults.modes import MODES
from orthoprox.files import checkpoint, journal, whole
from orthoprox.stopping import clock

pytestmark = [pytest.mark.extended, pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")]
PROBLEM = gaussian_pca(m=60, n=6)
CALL = partial(op.minimize, PROBLEM, "random", compiled=False)


@pytest.mark.parametrize("mode", MODES)
def test_a_process_that_is_killed_again_and_again_ends_at_the_same_X(tmp_path, mode):
    account = killed(mode, 3, tmp_path)
    assert account.kills == 3
    assert account.same == account.ends >= 1


def test_two_runs_on_one_checkpoint(tmp_path):
    """The second is refused; when the first is killed, its lock has died with it."""
    first = started("minimize", tmp_path)
    try:
        deadline = time.monotonic() + 30
        while not (tmp_path / "run.npz.lock").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(RuntimeError, match="Another run uses the checkpoint"):
            MODES["minimize"](checkpoint=tmp_path / "run.npz", resume=True)
    finally:
        kill_process(first)
    assert MODES["minimize"](checkpoint=tmp_path / "run.npz", resume=True).shape == (150, 25)


class Disk:
    """A disk of its own for a folder where one may mount, or else errors in its place."""

    def __init__(self, folder, monkeypatch, kilobytes):
        self.folder, self.monkeypatch = folder, monkeypatch
        options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
        self.mounted = subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0

    def fill(self):
        if not self.mounted:
            return self.refuse(errno.ENOSPC)
        handle = os.open(self.folder / "rest", os.O_WRONLY | os.O_CREAT)
        with suppress(OSError):
            while True:
                os.write(handle, b"x" * 4096)
        os.close(handle)

    def protect(self):
        """A disk with an open file cannot become read-only; the error comes in its place."""
        remount = ["mount", "-o", "remount,ro", str(self.folder)]
        if not self.mounted or subprocess.run(remount, capture_output=True, check=False).returncode:
            self.refuse(errno.EROFS)

    def refuse(self, code):
        self.monkeypatch.setattr(whole.os, "fsync", partial(self.error, code))

    def error(self, code, *_):
        raise OSError(code, os.strerror(code))

    def free(self):
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path, monkeypatch):
    found = Disk(tmp_path, monkeypatch, 4000)
    yield found
    found.free()


@pytest.mark.parametrize("trouble", ["fill", "protect"])
def test_a_disk_that_is_full_or_read_only_does_not_end_a_run(disk, trouble):
    """The run goes on, the old checkpoint stays and can be resumed, and there is one warning."""
    file = disk.folder / "run.npz"
    kept = []

    def callback(now):
        if now.iteration == 20:
            kept.append(file.read_bytes())
            getattr(disk, trouble)()

    with pytest.warns(RuntimeWarning, match="could not be written") as warned:
        result = CALL(callback=callback, checkpoint=file, checkpoint_every=0.0)
    assert sum(issubclass(one.category, RuntimeWarning) for one in warned) == 1
    assert same(result, CALL())
    assert file.read_bytes() == kept[0]


def test_a_folder_that_cannot_be_written_to_is_told_at_once(disk):
    disk.protect()
    if not disk.mounted:
        disk.monkeypatch.setattr(checkpoint, "open", partial(disk.error, errno.EROFS), raising=False)
    with pytest.raises(OSError, match="Read-only"):
        CALL(checkpoint=disk.folder / "run.npz")


def test_a_checkpoint_that_is_deleted_or_replaced_while_the_run_goes(tmp_path):
    file = tmp_path / "run.npz"

    def callback(now):
        if now.iteration == 20:
            file.unlink()
        if now.iteration == 40:
            assert file.exists()
            file.unlink()
            file.write_bytes(b"a thesis")

    with pytest.warns(RuntimeWarning, match="was replaced by another file"):
        result = CALL(callback=callback, checkpoint=file, checkpoint_every=0.0)
    assert same(result, CALL())
    assert file.read_bytes() == b"a thesis"


def test_a_clock_that_jumps_back(tmp_path, monkeypatch):
    """The call ends where it ends with any clock, and writes on."""
    expected, jumps, times = CALL(), iter([0.0] * 500 + [-3600.0] * 10**7), []

    def perf_counter():
        times.append(time.perf_counter() + next(jumps))
        return times[-1]

    for module in (clock, journal):
        monkeypatch.setattr(module, "perf_counter", perf_counter)
    assert same(CALL(checkpoint=tmp_path / "run.npz", checkpoint_every=0.0), expected)
    assert min(times) < times[0]


def test_nothing_is_left_by_a_process_that_dies_while_it_writes(tmp_path):
    """Its draft is removed by the next one."""
    program = f"""
import os, orthoprox as op, numpy as np
from orthoprox.files import whole
from faults.modes import minimise
writes = [0]
def replace(draft, place):
    writes[0] += 1
    if writes[0] == 5:
        os.kill(os.getpid(), 9)
    rename(draft, place)
rename, whole.os.replace = os.replace, replace
minimise(checkpoint={str(tmp_path / "run.npz")!r}, checkpoint_every=0.0)
"""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": "tests"}, check=False)
    assert done.returncode == -9
    assert any(name.startswith(".run.npz.") for name in os.listdir(tmp_path))
    X = MODES["minimize"](checkpoint=tmp_path / "run.npz", resume=True)
    assert np.array_equal(X, MODES["minimize"]())
    assert os.listdir(tmp_path) == ["run.npz"]


def test_calls_in_threads_have_journals_of_their_own(tmp_path):
    results = {}

    def work(name):
        results[name] = CALL(checkpoint=tmp_path / f"{name}.npz", checkpoint_every=0.0)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same(results["a"], results["b"])
