"""How a run ends."""

from orthoprox.stopping import Status


def test_status_sentences_are_distinct():
    assert len({status.value for status in Status}) == len(Status) == 7
