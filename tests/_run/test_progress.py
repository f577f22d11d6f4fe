"""The progress of a run on standard error."""

import logging
import re
import time

import pytest

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


def test_runs_within_a_block_share_its_line(capsys, monkeypatch):
    """Each line has the phase it was shown in, and the time of the block."""
    monkeypatch.setattr("orthoprox._run.progress.find_spec", lambda name: None)
    with op.Progress(phase="first") as line:
        op.minimize(SPARSE, X0, progress=True)
        line.begin("second")
        op.minimize(SPARSE, X0, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [words for words in dict.fromkeys(text.split()[0] for text in lines)] == ["first", "second"]
    seconds = [float(text.split()[1]) for text in lines]
    assert seconds == sorted(seconds)
    assert all("objective" in text and "stationary to" in text for text in lines)


def test_with_rich_there_is_one_line_for_all_runs(capsys):
    pytest.importorskip("rich")
    with op.Progress(phase="all"):
        for _ in range(3):
            op.minimize(SPARSE, X0, progress=True)
    shown = [text for text in capsys.readouterr().err.splitlines() if text.strip()]
    assert len(shown) == 1
    assert shown[0].startswith("all ")


def test_the_line_tells_the_part_the_work_and_the_time_left(capsys, monkeypatch):
    """Before the run, in the run and after it; of a rate, when the tolerance is reached."""
    monkeypatch.setattr("orthoprox._run.progress.find_spec", lambda name: None)
    op.minimize(SPARSE, X0, progress=True, max_seconds=50.0)
    lines = capsys.readouterr().err.splitlines()
    assert any("gradients" in text and "at most" in text and "s left" in text for text in lines)
    assert any("about" in text and "s to 1e-06" in text for text in lines)


def test_the_log_has_a_line_a_minute_and_is_silent_unless_one_listens(monkeypatch, caplog, capsys):
    monkeypatch.setattr("orthoprox._run.progress._MINUTE", 0.005)
    op.minimize(SPARSE, X0, tol=1e-12)
    assert caplog.records == []
    assert capsys.readouterr() == ("", "")
    with caplog.at_level(logging.INFO, logger="orthoprox"):
        op.minimize(SPARSE, X0, tol=1e-12, callback=lambda now: time.sleep(0.01))
    assert len(caplog.records) > 1
    assert all(re.match(r"(start|run|certificate|polish): \d+ s, [\d,]+ gradients$", one.message) for one in caplog.records)
