"""The list of what can be made and what is done of it, and what is refused."""

import re

import pytest

from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce.spec import load, names
from reproduced import ID, made_by_other_code

pytestmark = pytest.mark.usefixtures("without_network")


def test_a_wrong_id_gets_the_nearest_one_suggested(tmp_path, executed):
    with pytest.raises(ValueError, match="Did you mean 'fig-qp-range'"):
        reproduce.reproduce(["fig-qp-rang"], quick=True, out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_condition_is_refused_before_anything_is_run(tmp_path, executed):
    with pytest.raises(ValueError, match="is not a condition"):
        reproduce.reproduce([ID], quick=True, out=tmp_path, where=["r=8"])
    with pytest.raises(ValueError, match="cannot be compared"):
        reproduce.reproduce([ID], quick=True, out=tmp_path, where=["solver<8"])
    with pytest.raises(ValueError, match=r"The coordinate in 'bta < 1' is 'bta'.* Did you mean 'beta'"):
        reproduce.reproduce([ID], quick=True, out=tmp_path, where=["bta<1"])
    assert executed == []
    assert list(tmp_path.iterdir()) == []


def test_the_list_has_all_ids_with_their_counts(made):
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in reproduce.listing(made, quick=True).splitlines()]
    assert lines[0][:7] == ["id", "in the paper", "runs", "minutes", "done", "stale", "missing"]
    table = {line[0]: line for line in lines[2:]}
    assert list(table) == names()
    assert table[ID][1:7] == ["Figure 3", "198", "< 1", "6", "0", "192"]
    for name in names():
        if not load(name).uses and name != ID:
            count = str(len(load(name, quick=True).runs()))
            assert [table[name][k] for k in (2, 4, 5, 6)] == [count, "0", "0", count]
    assert table["fig-spca-scaling"][2:7] == [""] * 5
    assert "drawn from table-spca" in table["fig-spca-scaling"][7]
    made_by_other_code(made)
    assert re.search(r"fig-qp-r-beta .*\| 198 +\| < 1 +\| 0 +\| 6 +\| 192 ", reproduce.listing(made, quick=True))
