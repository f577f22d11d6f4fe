"""Every registered name has a test case, and every case is what its key says."""

import pytest

import orthoprox as op
from cases import NONSMOOTH, PROBLEMS, SMOOTH, SOLVERS


@pytest.mark.parametrize(
    ("cases", "registered"),
    [(SMOOTH, op.smooth.__all__), (NONSMOOTH, op.nonsmooth.__all__), (SOLVERS, op.SOLVERS), (PROBLEMS, op.PROBLEMS)],
    ids=["smooth", "nonsmooth", "solvers", "problems"],
)
def test_every_registered_name_has_a_case(cases, registered):
    """Whatever a user can name is tested: the first words of the keys in cases.py are the
    registered names.
    """
    assert {key.split()[0] for key in cases} == set(registered)


def test_cases_are_what_their_keys_say():
    """A key names the class of its instance."""
    for cases in (SMOOTH, NONSMOOTH):
        for key, term in cases.items():
            assert type(term).__name__ == key.split()[0]
    for key, solver in SOLVERS.items():
        assert type(solver) is op.SOLVERS[key.split()[0]]
    assert all(isinstance(problem, op.Problem) for problem in PROBLEMS.values())
