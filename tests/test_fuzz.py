"""Random calls of every public function keep the promises of docs/reliability.md. The long run is
``make test-fuzz``.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from fuzz.calls import NAMES, WEIGHTS, calls
from fuzz.promises import watch

SHORT, LONG = 8, 150  # calls of each kind, times its weight
QUIET = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
KINDS = pytest.mark.parametrize("kind", sorted(NAMES))


def keeps_its_promises(kind, options):
    @options
    @given(calls(kind))
    def check(call):
        report = watch(call)
        assert not report.broken, f"{report.broken} at {report.place or 'the result'} in {call!r}"

    check()


@KINDS
def test_calls_keep_their_promises(kind):
    keeps_its_promises(kind, settings(QUIET, max_examples=SHORT * WEIGHTS[NAMES[kind]], derandomize=True))


@pytest.mark.extended
@KINDS
def test_many_calls_keep_their_promises(kind):
    keeps_its_promises(kind, settings(QUIET, max_examples=LONG * WEIGHTS[NAMES[kind]]))
