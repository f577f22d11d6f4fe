"""Pictures: drawn from the result alone, with the axes that they claim."""

import numpy as np
import pytest

import orthoprox as op

pytest.importorskip("matplotlib", reason="Pictures need matplotlib, an extra.")


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
