"""The progress of a run on standard error."""

import orthoprox as op
from small_problems import SPARSE, X0


def test_progress_shows_lines_without_rich(capsys, monkeypatch):
    monkeypatch.setattr("orthoprox._run.progress.find_spec", lambda name: None)
    op.minimize(SPARSE, X0, progress=True)
    shown = capsys.readouterr().err
    assert "    0 steps" in shown
    assert "stationary to" in shown


def test_progress_with_rich_passes_the_callback_on(capsys):
    seen = []
    op.minimize(SPARSE, X0, progress=True, callback=lambda now: seen.append(now.iteration))
    assert seen[:3] == [0, 1, 2]
    assert "objective" in capsys.readouterr().err
