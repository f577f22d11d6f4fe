"""The progress bar, without a terminal: lines on standard error."""

from orthoprox.reproduce import bar
from orthoprox.reproduce.bar import Bar


def test_progress_is_told_on_standard_error(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(bar, "monotonic", lambda: now[0])
    with Bar(100.0) as shown:
        now[0] = 5.0
        shown.advance(10.0, "first")
        now[0] = 20.0
        shown.advance(10.0, "second")
        now[0] = 21.0
        shown.advance(30.0, "third")
        now[0] = 100.0
        shown.advance(50.0, "last")
    found = capsys.readouterr()
    assert found.out == ""
    assert [line.split() for line in found.err.splitlines()] == [
        ["20", "%", "80", "s", "remaining", "second"],
        ["100", "%", "0", "s", "remaining", "last"],
    ]


def test_progress_ends_with_all_of_the_work_in_whatever_order_it_is_done(capsys):
    parts = [0.1, 0.2, 0.3]
    with Bar(sum(parts)) as shown:
        for work in reversed(parts):
            shown.advance(work, "some")
    assert capsys.readouterr().err.startswith("100 %")
