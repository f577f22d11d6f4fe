"""Ready-made problems by name."""

import orthoprox as op


def test_registry_names_every_problem():
    assert set(op.PROBLEMS) == {name for name in op.problems.__all__ if name != "PROBLEMS"}
    assert all(op.PROBLEMS[name] is getattr(op.problems, name) for name in op.PROBLEMS)
