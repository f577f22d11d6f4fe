"""One line of a ledger, in whatever schema it was written."""

import json

import pytest

from orthoprox.reproduce.entry import NUMBERS, SCHEMA, read, schema
from orthoprox.reproduce.studies import STUDIES

NEW = {"key": "k", "schema": 2, "code": "c", "at": {}, "status": "CONVERGED"}
OLD = {name: value for name, value in NEW.items() if name != "schema"}
PAIRS = {  # the same time in both schemas
    "the method alone": ({"seconds": 1.5}, {"run_seconds": 1.5}),
    "its processor time": ({"cpu_seconds": 2.5}, {"run_cpu_seconds": 2.5}),
    "the whole call": ({"wall_seconds": 3.5}, {"seconds": 3.5}),
    "both": ({"seconds": 1.5, "wall_seconds": 3.5}, {"run_seconds": 1.5, "seconds": 3.5}),
    "a curve": ({"at_seconds": [0.1, 0.2]}, {"at_run_cpu_seconds": [0.1, 0.2]}),
}


def line(entry):
    return json.dumps(entry).encode()


@pytest.mark.parametrize(("old", "new"), PAIRS.values(), ids=PAIRS)
def test_a_time_is_the_same_in_both_schemas(old, new):
    found = read(line({**OLD, **old}), {})
    assert {name: found[name] for name in new} == new
    assert {**found, "schema": 2} == read(line({**NEW, **new}), {}) == {**NEW, **new}


def test_fields_are_asked_for_by_their_present_names():
    assert read(line({**OLD, "seconds": 1.5}), {"run_seconds": float})["run_seconds"] == 1.5
    with pytest.raises(ValueError, match="it has no 'run_seconds'"):
        read(line({**NEW, "seconds": 1.5}), {"run_seconds": float})


def test_the_first_schema_has_no_number():
    assert schema(OLD) == 1
    assert schema(NEW) == SCHEMA


@pytest.mark.parametrize("entry", [NEW, {"origin": "a", "date": "b", "versions": "c", "machine": "d"}], ids=["row", "origin"])
def test_a_schema_to_come_is_refused_whatever_the_line_holds(entry):
    with pytest.raises(ValueError, match=f"its schema is {SCHEMA + 1}; this version reads 1 to {SCHEMA}"):
        read(line({**entry, "schema": SCHEMA + 1}), {"something": NUMBERS})


def test_times_of_a_study_are_those_of_its_method_alone():
    names = {name for study in STUDIES.values() for name in study.fields if name.endswith("seconds")}
    assert names == {"run_seconds", "run_cpu_seconds", "at_run_cpu_seconds"}
