"""Random calls of every public function keep the promises of docs/reliability.md. The long run is
``make test-fuzz``.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from fuzz.calls import NAMES, WEIGHTS, calls
from fuzz.promises import watch

SHORT, LONG = 8, 150  # calls of each kind, times its weight
KINDS = pytest.mark.parametrize("kind", sorted(NAMES))


def keeps_its_promises(kind, number, *, derandomize):
    @settings(
        max_examples=number * WEIGHTS[NAMES[kind]], deadline=None, database=None, derandomize=derandomize, suppress_health_check=list(HealthCheck)
    )
    @given(calls(kind))
    def check(call):
        report = watch(call)
        assert not report.broken, f"{report.broken} at {report.place or 'the result'} in {call!r}"

    check()


@KINDS
def test_calls_keep_their_promises(kind):
    keeps_its_promises(kind, SHORT, derandomize=True)


@pytest.mark.extended
@KINDS
def test_many_calls_keep_their_promises(kind):
    keeps_its_promises(kind, LONG, derandomize=False)
