"""``orthoprox transform``: scores of new rows."""

import csv
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import orthoprox
from orthoprox.cli.__main__ import main as cli

pytest.importorskip("sklearn")
WINE = Path(orthoprox.__file__).parent / "datasets" / "wine.csv"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    out = tmp_path_factory.mktemp("model")
    assert cli(["spca", str(WINE), "-n", "2", "--quiet", "--out", str(out)]) == 0
    return out / "model.npz"


def rows(text):
    return list(csv.reader(StringIO(text)))


def columns(tmp_path, change):
    """Write the wines with their columns, a dictionary, changed."""
    lines = rows(WINE.read_text())
    table = change(dict(zip(lines[0], zip(*lines[1:], strict=True), strict=True)))
    path = tmp_path / "new.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    return path


def test_scores_are_those_of_the_fit(model, capsys):
    assert cli(["transform", str(model), str(WINE)]) == 0
    out = capsys.readouterr()
    assert out.out == (model.parent / "scores.csv").read_text()
    assert out.err == ""


def test_columns_are_matched_by_name(model, tmp_path, capsys):
    """Another order gives the same scores, and columns besides are ignored with a note."""
    other = columns(tmp_path, lambda table: {"extra": table["ash"], **dict(reversed(table.items()))})
    assert cli(["transform", str(model), str(other), "--out", str(tmp_path / "s.csv")]) == 0
    found, expected = (rows(path.read_text()) for path in (tmp_path / "s.csv", model.parent / "scores.csv"))
    np.testing.assert_allclose(*(np.array(table[1:], dtype=float) for table in (found, expected)), atol=1e-12)
    assert capsys.readouterr().err == "note: 1 column not in the model ignored: 'extra'.\n"
    assert cli(["transform", str(model), str(other), "--out", str(tmp_path / "s.csv")]) == 2
    assert "add --force" in capsys.readouterr().err


def test_columns_that_lack_are_named(model, tmp_path, capsys):
    other = columns(tmp_path, lambda table: {name: table[name] for name in table if name not in ("ash", "hue")})
    assert cli(["transform", str(model), str(other)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("orthoprox: The table lacks the columns 'ash' and 'hue' of the model")
    assert err.count("\n") == 1


def test_a_constant_column_is_no_reason_to_refuse(model, tmp_path, capsys):
    """One new row is enough."""
    other = columns(tmp_path, lambda table: {name: values[:1] for name, values in table.items()})
    assert cli(["transform", str(model), str(other)]) == 0
    found, expected = rows(capsys.readouterr().out)[1], rows((model.parent / "scores.csv").read_text())[1]
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(expected, dtype=float), rtol=1e-12)


def test_what_is_no_model_is_refused(tmp_path, model, capsys):
    for path in (WINE, tmp_path / "nothing.npz", model.parent / "result.json"):
        assert cli(["transform", str(path), str(WINE)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert cli(["spca", str(model), "--out", str(tmp_path / "o")]) == 2
    assert "is a model, not a table" in capsys.readouterr().err
