"""Fits with a checkpoint: from every file that was written, the components are the same."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from checkpoints import all_written, some
from orthoprox import SparsePCA, Status

pytestmark = pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")

WINE = load_wine().data
WANTED = {
    "alpha": {"alpha": 0.1},
    "starts": {"n_init": 3, "random_state": 0},
    "nonzeros": {"n_nonzero": 20},
    "each": {"n_nonzero": [6, 5, 5, 4]},
    "nonnegative": {"n_nonzero": 12, "nonnegative": True},
    "l21": {"n_nonzero": 24, "penalty": "l21"},
}


def same(one, other):
    one, other = one.result_, other.result_
    return np.array_equal(one.X, other.X) and one.work == other.work and one.status is other.status


@pytest.mark.parametrize("name", WANTED)
def test_a_fit_goes_on_from_every_checkpoint_to_the_same_components(tmp_path, monkeypatch, name):
    def fit(**options):
        return SparsePCA(4, scale=True, **WANTED[name], **options).fit(WINE)

    expected, (found, files) = fit(), all_written(monkeypatch, tmp_path, fit)
    assert np.array_equal(found.components_, expected.components_)
    for file in some(files, 5):
        resumed = fit(checkpoint=file, resume=True)
        assert np.array_equal(resumed.components_, expected.components_)
        assert same(resumed, expected)
    assert resumed.result_.problem.shape == (13, 4)  # of a finished one there is no more


def test_what_ended_by_its_time_goes_on(tmp_path):
    options = {"n_nonzero": 20, "scale": True, "checkpoint": str(tmp_path / "run.npz"), "checkpoint_every": 0.01}
    expected = SparsePCA(4, n_nonzero=20, scale=True).fit(WINE)
    cut = SparsePCA(4, max_seconds=0.02, **options).fit(WINE)
    assert cut.result_.status is Status.TIME
    resumed = SparsePCA(4, resume=True, **options).fit(WINE)
    assert np.array_equal(resumed.components_, expected.components_)
    assert resumed.result_.resumed == 1


def test_a_fit_without_a_seed_keeps_its_random_numbers(tmp_path, monkeypatch):
    def fit(**options):
        return SparsePCA(4, n_init=4, scale=True, start="random", **options).fit(WINE)

    found, files = all_written(monkeypatch, tmp_path, fit)
    for file in some(files, 5):
        assert same(fit(checkpoint=file, resume=True), found)


def test_a_checkpoint_of_another_fit_is_refused(tmp_path):
    file = tmp_path / "run.npz"
    fitted = SparsePCA(4, scale=True, checkpoint=file).fit(WINE)
    with pytest.raises(FileExistsError, match="resume=True"):
        SparsePCA(4, scale=True, checkpoint=file).fit(WINE)
    with pytest.raises(ValueError, match=r"alpha is '0\.1' there and '0\.2' here"):
        SparsePCA(4, alpha=0.2, scale=True, checkpoint=file, resume=True).fit(WINE)
    with pytest.raises(ValueError, match="the data or the weights are others"):
        SparsePCA(4, scale=True, checkpoint=file, resume=True).fit(WINE[1:])
    with pytest.raises(ValueError, match="no checkpoint to resume from"):
        SparsePCA(4, resume=True).fit(WINE)
    fitted.save(tmp_path / "model.npz")
    assert SparsePCA.load(tmp_path / "model.npz").checkpoint == str(file)
