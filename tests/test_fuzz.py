"""Random calls of every public function keep the promises of docs/reliability.md. The long run is
``make test-fuzz``.
"""

from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import orthoprox as op
from fuzz.calls import NAMES, WEIGHTS, calls
from fuzz.campaign import without_mutations
from fuzz.promises import watch

SHORT, LONG = 20, 200  # calls of each kind, times its weight
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
    keeps_its_promises(kind, settings(QUIET, max_examples=LONG * WEIGHTS[NAMES[kind]], derandomize=True))


# What users get or inherit from, but do not call.
NOT_CALLED = {
    "PitProps",
    "Solver",
    "Status",
    "Stop",
    "Measurement",
    "Certificate",
    "ConvergenceWarning",
    "Progress",
    "Result",
    "Snapshot",
}


def public_names():
    """The public functions and classes of the package, by their names in it."""
    for name in op.__all__:
        thing = getattr(op, name)
        if isinstance(thing, ModuleType):
            own = [part for part, what in vars(thing).items() if getattr(what, "__module__", "") == thing.__name__]
            public = getattr(thing, "__all__", [part for part in own if part[0] != "_"])
            yield from (f"{name}.{part}" for part in public if callable(getattr(thing, part)) and part not in NOT_CALLED)
        elif callable(thing) and name not in {*NOT_CALLED, *op.solvers.__all__}:
            yield name


@pytest.mark.extended
def test_every_public_function_is_called():
    called = set()
    for kind in NAMES:
        number = 2 if kind in ("minimize", "solve", "path", "certificate") else 200

        @settings(QUIET, max_examples=number, phases=[Phase.generate])
        @seed(0)
        @given(calls(kind))
        def draw(call):
            called.add(call.name)

        with without_mutations():
            draw()
    assert sorted(set(public_names()) - called) == []
