"""The README is true: its code runs as it stands, and its output is what the code prints."""

import re
from pathlib import Path

import orthoprox as op

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_every_block_of_code_runs(capsys):
    """In order, in one session, as a reader would type them; warnings are errors, so all runs
    converge.
    """
    session = {}
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 3
    for block in blocks:
        exec(block, session)
    printed = capsys.readouterr().out.splitlines()
    shown = re.search(r"```text\n(.*?)```", README, flags=re.DOTALL)[1].splitlines()
    assert [line.split()[0] for line in printed] == [line.split()[0] for line in shown]
    for mine, theirs in zip(printed, shown, strict=True):
        if mine.split()[0] in ("status", "sparsity"):
            assert mine == theirs
    assert session["result"].converged


def test_every_name_exists():
    """Each op.something in the text is an attribute of the package."""
    for name in set(re.findall(r"\bop\.([A-Za-z_.0-9]+[A-Za-z_0-9])", README)):
        place = op
        for part in name.split("."):
            place = getattr(place, part)
