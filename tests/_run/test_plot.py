"""Pictures: drawn from the result alone, with the axes that they claim."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import orthoprox as op

pytest.importorskip("matplotlib", reason="Pictures need matplotlib, an extra.")
ROOT = Path(__file__).parents[2]


def test_plot_shows_the_curves_and_the_entries(tmp_path):
    result = op.minimize(op.problems.sparse_pca(op.datasets.five_components(50, 20), 4, 0.5))
    figure = result.plot()
    curves, objective, entries = figure.axes[:3]
    assert curves.get_yscale() == objective.get_yscale() == "log"
    assert [line.get_label() for line in curves.get_lines()] == ["relative stationarity", "feasibility |X'X - I|"]
    np.testing.assert_array_equal(curves.get_lines()[0].get_xdata(), result.history["iteration"])
    assert len(entries.collections[0].get_offsets()) == np.count_nonzero(np.abs(result.X) >= 1e-5)
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_demo_prints_what_it_promises_and_draws(tmp_path, monkeypatch, capsys):
    picture = tmp_path / "demo.png"
    monkeypatch.setattr(sys, "argv", ["demo", str(picture)])
    runpy.run_path(str(ROOT / "examples" / "plot_sparse_pca.py"), run_name="__main__")
    shown = capsys.readouterr().out
    for word in ("objective", "feasibility", "certificate", "sparsity", "iterations", "time"):
        assert word in shown
    assert picture.stat().st_size > 10_000
