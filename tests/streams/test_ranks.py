"""Ranks that do the same, and what they raise where they do not; here they are threads."""

import numpy as np
import pytest

from cases import Alone, normal
from orthoprox.streams.moments import Moments
from orthoprox.streams.ranks import RankError, Ranks, world
from thread_ranks import on_ranks

A = normal(0, 40, 5) + 1e6


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("cross", [True, False])
def test_merged_moments_are_those_of_all_rows(size, cross):
    def merged(comm):
        return Ranks(comm).merged(Moments(5, cross=cross).add(np.array_split(A, size)[comm.rank]))

    D = A - A.mean(0)
    expected = D.T @ D if cross else np.sum(D**2, axis=0)
    for moments in on_ranks(size, merged):
        assert moments.count == 40
        np.testing.assert_allclose(moments.mean, A.mean(0), rtol=1e-15)
        np.testing.assert_allclose(moments.scatter, expected, atol=1e-7)


def test_sums_are_the_same_on_every_rank():
    found = on_ranks(3, lambda comm: Ranks(comm).sum("adds", np.ones(2), lambda: np.full(4, 1.0 + comm.rank)))
    for total in found:
        np.testing.assert_array_equal(total, np.full(4, 6.0))


def test_the_first_rank_decides():
    assert on_ranks(3, lambda comm: Ranks(comm).first(-1.5 + comm.rank)) == [-1.5] * 3
    assert on_ranks(3, lambda comm: Ranks(comm).first_of(f"of {comm.rank}")) == ["of 0"] * 3
    assert Ranks(Alone()).first(3.25) == 3.25


def test_ranks_at_different_places_all_raise():
    def here_or_there(comm):
        return Ranks(comm).meet("waits" if comm.rank == 1 else "goes on")

    for error in on_ranks(3, here_or_there):
        assert isinstance(error, RankError)
        assert "rank 0 goes on, rank 1 waits, rank 2 goes on" in str(error)


def test_ranks_at_different_points_all_raise():
    """By one unit in the last place."""

    def evaluated(comm):
        return Ranks(comm).sum("evaluates l", np.array([1.0 + comm.rank * 2**-52]), lambda: np.zeros(1))

    for error in on_ranks(2, evaluated):
        assert isinstance(error, RankError)
        assert "each evaluates l, but at different points" in str(error)


def test_ranks_with_sums_of_different_sizes_all_raise():
    for error in on_ranks(2, lambda comm: Ranks(comm).sum("adds", np.ones(1), lambda: np.zeros(comm.rank + 1))):
        assert isinstance(error, RankError)
        assert "rank 0 adds with 1 numbers, rank 1 adds with 2 numbers" in str(error)


def test_an_error_on_one_rank_is_one_on_all():
    def work(comm):
        with Ranks(comm).together("work"):
            if comm.rank == 1:
                raise ValueError("no rows")
            Ranks(comm).sum("adds", np.ones(1), lambda: np.zeros(1))

    first, second = on_ranks(2, work)
    assert isinstance(first, RankError)
    assert "rank 1 fails in work with ValueError: no rows" in str(first)
    assert isinstance(second, ValueError)


@pytest.mark.parametrize("failing", [{0}, {1}, {0, 1}])
def test_what_fails_within_a_sum_is_told_to_all(failing):
    def compute(comm):
        def part():
            if comm.rank in failing:
                raise OSError(f"disk {comm.rank}")
            return np.zeros(1)

        with Ranks(comm).together("work"):
            Ranks(comm).sum("adds", np.ones(1), part)

    found = on_ranks(2, compute)
    if len(failing) == 2:
        assert [str(error) for error in found] == ["disk 0", "disk 1"]
    else:
        assert all(f"rank {min(failing)}: OSError: disk {min(failing)}" in str(error) for error in found)
        assert all(isinstance(error, RankError) for error in found)


def test_one_process_has_no_ranks(monkeypatch):
    monkeypatch.delenv("OMPI_COMM_WORLD_SIZE", raising=False)
    assert world() is None
    with pytest.raises(TypeError, match="comm is 3, a int; it needs a communicator"):
        Ranks(3)
