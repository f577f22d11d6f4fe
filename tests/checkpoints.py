"""Every checkpoint that a call has written, to go on from each of them."""

import shutil

import numpy as np

from orthoprox.files import whole
from orthoprox.files.checkpoint import Checkpoint


def all_written(monkeypatch, folder, function, every=0.0):
    """Return what a call of a function returns, and the files that it has written on the way: what
    a kill at any moment would have left.
    """
    files, write = [], Checkpoint.write

    def copying(self, *given, **options):
        write(self, *given, **options)
        files.append(folder / f"{len(files)}.npz")
        shutil.copy(self.place, files[-1])

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "write", copying)
        patch.setattr(whole.os, "fsync", lambda handle: None)  # no power fails here
        result = function(checkpoint=folder / "run.npz", checkpoint_every=every)
    return result, files


def some(files, number=8):
    """The first, the last, and some between."""
    chosen = np.unique(np.linspace(0, len(files) - 1, number).astype(int))
    return [files[i] for i in chosen]


def same(one, other):
    """Whether two results are the same, bit for bit, and count the same work."""
    parts = [[(part.name, part.gradients) for part in result.phases] for result in (one, other)]
    return (
        np.array_equal(np.asarray(one.X), np.asarray(other.X))
        and one.status is other.status
        and one.message == other.message
        and one.work == other.work
        and one.iterations == other.iterations
        and one.measurement == other.measurement
        and parts[0] == parts[1]
        and np.array_equal(one.history["objective"], other.history["objective"])
    )
