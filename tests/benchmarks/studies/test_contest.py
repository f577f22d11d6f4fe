"""Who beats whom, and by how much."""

import pytest

import bench_rows
from benchmarks.studies import contest


def test_beaten_means_worse_by_more_than_the_tolerance(tmp_path):
    rows = bench_rows.written(tmp_path / "rows.jsonl").of("families")
    assert contest.beaten(rows, ("cdopt", "ours")) == 2
    assert contest.beaten(rows, ("pymanopt", "random")) == 0
    assert contest.lost(rows) == 2
    assert contest.faster(rows, ("pymanopt", "random")) == 15
    assert contest.gaps(rows, ("pymanopt", "random")) == pytest.approx([10 / 90] * 2)


def test_a_problem_is_lost_to_whichever_peer_is_better():
    values = {("minimize", "ours"): [-1.0, -1.0, -1.0], ("a", "ours"): [-2.0, -2.0, -0.5], ("b", "random"): [-2.0, None, -2.0]}
    rows = [
        {"case": "one", "seed": seed, "who": who, "start": start, "objective": value}
        for (who, start), column in values.items()
        for seed, value in enumerate(column)
    ]
    assert [contest.beaten(rows, peer) for peer in contest.contenders(rows)] == [2, 2]
    assert contest.lost(rows) == 3
