"""A result: its numbers, how it prints and how it is stored."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import orthoprox as op
from orthoprox.problems.work import Work
from orthoprox.stopping import MaxIterations, Status
from orthoprox.stopping.parts import Part
from small_problems import SPARSE, X0


def test_numbers_of_a_result_belong_to_its_point():
    """Every number is what the evaluator says about result.X."""
    result = op.minimize(SPARSE, X0)
    assert result.objective == SPARSE.value(result.X)
    assert result.projected_objective == pytest.approx(SPARSE.value(result.projected()), rel=1e-12)
    assert result.feasibility == pytest.approx(np.linalg.norm(result.X.T @ result.X - np.eye(3)), rel=1e-6, abs=1e-14)
    assert result.sparsity == np.mean(np.abs(result.X) < 1e-5)
    assert result.stationarity <= 1e-6
    assert result.converged
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(result.projected().T @ result.projected(), np.eye(3), atol=1e-12)


def test_result_is_readable_and_serialisable():
    result = op.minimize(SPARSE, X0)
    text = repr(result)
    for word in ("Adaptive", "(20, 3)", "Converged", "objective", "feasibility", "stationarity", "certificate", "sparsity"):
        assert word in text
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["objective"] == result.objective
    assert plain["status"] == "CONVERGED"
    assert "X" not in plain
    full = json.loads(json.dumps(result.to_dict(arrays=True)))
    np.testing.assert_array_equal(full["X"], result.X)


def test_times_of_the_whole_call_hold_those_of_the_method():
    """Of all that a call does, the run it returns is a part."""
    result = op.minimize(SPARSE)
    assert 0 < result.run_seconds < result.seconds
    assert 0 < result.run_cpu_seconds < result.cpu_seconds
    plain = result.to_dict()
    for name in ("seconds", "cpu_seconds", "run_seconds", "run_cpu_seconds"):
        assert plain[name] == getattr(result, name)
    assert "wall_seconds" not in {*plain, *plain["history"]}


def test_json_has_no_infinity():
    """A start outside the domain of g has an infinite objective, which becomes null."""
    problem = op.Problem(SPARSE.smooth, op.nonsmooth.Nonnegative(), (20, 3))
    result = op.solve(problem, op.LSALM(), X0, stop=MaxIterations(0))
    assert result.objective == np.inf
    plain = json.loads(json.dumps(result.to_dict(arrays=True), allow_nan=False))
    assert plain["objective"] is None
    assert plain["history"]["objective"] == [None]


def test_repr_shows_each_number_in_its_line():
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(40))
    lines = dict(line.split(None, 1) for line in repr(result).splitlines()[1:])
    assert lines["feasibility"].startswith(f"{result.feasibility:.2e}")
    assert lines["stationarity"].startswith(f"{result.stationarity:.2e}")
    assert lines["iterations"] == "40"
    assert lines["gradients"] == f"{result.work.gradients}: " + ", ".join(f"{p.name} {p.gradients}" for p in result.phases)
    assert f"{result.certificate.upper:.3e}" in lines["certificate"]


def test_repr_shows_the_totals_and_then_the_parts():
    result = op.minimize(SPARSE)
    measured = [("start", 0.1234, 330), ("run", 0.0211, 61), ("lower minima", 0.85, 2950), ("polish", 0.0042, 60)]
    parts = tuple(Part(name, seconds, gradients, -1.0) for name, seconds, gradients in measured)
    work = Work(gradients=3401, runs=6)
    lines = dict(
        line.split(None, 1) for line in repr(replace(result, seconds=1.0644, work=work, phases=parts)).splitlines()[1:]
    )
    assert lines["time"] == "1.06 s: start .12, run .02, lower minima .85, polish .004"
    assert lines["gradients"] == "3401: start 330, run 61, lower minima 2950, polish 60"
    assert lines["iterations"] == f"{result.iterations} in the run that found X, one of 6"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0"),
        (4e-4, "0"),
        (6e-4, ".001"),
        (0.0042, ".004"),
        (0.0096, ".01"),
        (0.994, ".99"),
        (0.996, "1.00"),
        (12.34, "12.3"),
    ],
)
def test_times_are_short(seconds, text):
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(0))
    assert f" {text} s: run" in repr(replace(result, seconds=seconds))


def test_work_and_phases_are_stored():
    result = op.minimize(SPARSE)
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["work"] == {name: getattr(result.work, name) for name in ("gradients", "values", "proxes", "runs")}
    assert [part["name"] for part in plain["phases"]] == [part.name for part in result.phases]
    assert sum(part["gradients"] for part in plain["phases"]) == plain["work"]["gradients"]
    assert set(plain["phases"][0]) == {"name", "seconds", "gradients", "objective"}


def test_notebooks_show_the_lines_as_a_table():
    """Each line of the repr is a row, with nothing that a browser would take for markup."""
    result = replace(op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(3)), message="<b>a & b</b>")
    page = ElementTree.fromstring(result._repr_html_())
    assert page.tag == "table"
    assert page.find("caption").text == repr(result).splitlines()[0]
    rows = [(row.find("th").text, row.find("td").text) for row in page.iter("tr")]
    assert rows == [(line[2:22].strip(), line[23:]) for line in repr(result).splitlines()[1:]]
    assert rows[0] == ("status", "<b>a & b</b>")
