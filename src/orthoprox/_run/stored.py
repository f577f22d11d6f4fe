"""A result as a header and arrays, as it is written to a file and read from one."""

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any

from orthoprox._arrays.library import is_array, to_numpy
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox._run.result import NotStored, Result
from orthoprox.files.archive import Arrays, Header, read, write
from orthoprox.problems.work import Work
from orthoprox.stopping.parts import Part
from orthoprox.stopping.status import Status

KIND = "Result"
_PLAIN = "message", "iterations", "polished", "compiled", "resumed"
_TIMES = "seconds", "cpu_seconds", "run_seconds", "run_cpu_seconds"
_GROUPS = "certificate", "parameters", "history"  # of named numbers and arrays


def save(result: Result, path: Any) -> None:
    """Write a result to a file."""
    write(path, KIND, *packed(result))


def load(path: Any) -> Result:
    """Read a result from a file."""
    header, arrays = read(path, KIND)
    try:
        return unpacked(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{str(path)!r} lacks a part of a result, {error!r}; write it again.") from error


def packed(result: Result) -> tuple[Header, Arrays]:
    """Return all of a result but the problem and the solver, of which it keeps the text."""
    groups = dict(zip(_GROUPS, (vars(result.certificate), result.parameters, result.history), strict=True))
    named: dict[str, Any] = {"X": result.X, "multiplier": result.multiplier}
    named |= {f"{group}.{name}": value for group, values in groups.items() for name, value in values.items()}
    arrays = {name: to_numpy(value) for name, value in named.items() if _is_matrix(value)}
    header = {
        "shape": list(result.problem.shape),
        "problem": {"name": "Problem", "text": _text(result.problem)},
        "solver": {"name": result.method, "text": _text(result.solver)},
        "status": result.status.name,
        **{name: getattr(result, name) for name in _PLAIN},
        **_numbers({name: getattr(result, name) for name in _TIMES}),
        "measurement": _numbers(asdict(result.measurement)),
        "work": asdict(result.work),
        "phases": [_numbers(asdict(part)) for part in result.phases],
        **{group: _numbers(values) for group, values in groups.items()},
    }
    return header, arrays


def unpacked(header: Header, arrays: Arrays) -> Result:
    """Return the result that was packed; its arrays are those of NumPy."""
    found: dict[str, dict[str, Any]] = {
        group: {name: float(value) for name, value in header[group].items()} for group in _GROUPS
    }
    for group, values in found.items():
        values |= {name.removeprefix(f"{group}."): array for name, array in arrays.items() if name.startswith(f"{group}.")}
    shape, absent = tuple(header["shape"]), {name: header[name] for name in ("problem", "solver")}
    header = {"resumed": 0, **header}  # which older files lack
    plain: dict[str, Any] = {name: header[name] for name in _PLAIN} | {name: float(header[name]) for name in _TIMES}
    problem: Any = NotStored(**absent["problem"], shape=shape)
    solver: Any = NotStored(**absent["solver"])
    return Result(
        X=arrays["X"],
        problem=problem,
        solver=solver,
        status=Status[header["status"]],
        measurement=Measurement(**{name: float(value) for name, value in header["measurement"].items()}),
        certificate=Certificate(**found["certificate"]),
        multiplier=arrays.get("multiplier"),
        parameters=found["parameters"],
        history=found["history"],
        work=Work(**header["work"]),
        phases=tuple(
            Part(part["name"], float(part["seconds"]), part["gradients"], float(part["objective"])) for part in header["phases"]
        ),
        **plain,
    )


def _text(thing: Any) -> str:
    return thing.text if isinstance(thing, NotStored) else repr(thing)


def _is_matrix(value: Any) -> bool:
    return is_array(value) and value.ndim > 0


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are no arrays, as JSON has them: words and whole numbers as they are,
    others as floats, and as text where these are not finite.
    """
    return {name: _number(value) for name, value in values.items() if not _is_matrix(value)}


def _number(value: Any) -> Any:
    if isinstance(value, (str, int)):
        return value
    return float(value) if isfinite(value) else str(float(value))
