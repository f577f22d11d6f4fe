"""Where and with what a number was made."""

import json

from orthoprox.reproduce.origin import origin


def test_an_origin_is_told_without_names_or_folders():
    facts = origin()
    assert set(facts) == {"origin", "date", "versions", "machine"}
    assert "cores" in facts["machine"]
    assert "numba" in facts["versions"]
    assert "/" not in facts["versions"]
    json.dumps(facts)
