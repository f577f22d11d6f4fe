"""Watching one call, and the promises that every call keeps."""

import linecache
import re
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

import orthoprox as op
from fuzz import callables
from fuzz.output import Said, captured
from fuzz.pick import Call, Quality
from fuzz.state import changes, fingerprint, process_state
from fuzz.watchdog import SECONDS, Hang, limit

PACKAGE = str(Path(op.__file__).parent)
OWN = str(Path(__file__).parent)  # where the functions of users are
LONGEST = 700  # characters of a message
# What NumPy, SciPy and Python say by themselves, which tells a user nothing.
DEPTHS = re.compile(
    r"broadcast together|could not be broadcast|matmul|ufunc|setting an array element|has no attribute|unsupported operand"
    r"|not supported between|could not convert|object is not|has no len|truth value|unhashable|cannot cast|out of bounds"
    r"|dimension mismatch|must be real number, not|required argument|positional argument|unexpected keyword|not iterable"
)


@dataclass
class Report:
    """What came of a call."""

    call: Call
    outcome: str  # "returned", "refused" or "failed"
    broken: list[str] = field(default_factory=list)  # the promises it broke
    place: str = ""  # where: the line of the library that raised
    claims: int = 0  # of convergence, that the judge has checked
    value: Any = None


def watch(call: Call, seconds: float = SECONDS) -> Report:
    """Make the call, and report which promises it broke."""
    given, report, said = fingerprint(call.arguments), Report(call, "failed"), Said()
    with warnings.catch_warnings(record=True) as leaked, np.errstate(**call.errstate):
        warnings.simplefilter("always")
        state = process_state()
        try:
            with limit(seconds), captured() as said:
                report.value = in_a_thread(call.run) if call.threaded else call.run()
            report.outcome = "returned"
        except Hang as error:
            report.place = _place(error)
            report.broken.append(f"hang: no end within {seconds:g} s")
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            report.place = _place(error)
            broken = refusal(call, error)
            report.outcome = "failed" if broken else "refused"
            report.broken += broken
        shown = {"random"} if call.prints else set()  # rich, which shows the progress, draws names
        report.broken += [f"changed state: {name}" for name in changes(state, process_state()) if name not in shown]
        changed = fingerprint(call.arguments)
    report.broken += [f"changed input: {name}" for name in call.arguments if given[name] != changed[name]]
    for warning in leaked:
        if not issubclass(warning.category, op.ConvergenceWarning):
            report.broken.append(f"leaked warning: {warning.category.__name__}: {warning.message}")
            report.place = report.place or f"{Path(warning.filename).name}:{warning.lineno}"
    if said.text.strip() and not call.prints:
        report.broken.append(f"printed: {said.text[:200]!r}")
    if report.outcome == "returned" and call.check is not None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = call.check(report.value, warned={w.category for w in leaked})
        report.broken += found.broken
        report.claims = found.claims
    return report


def in_a_thread(run):
    """Return what ``run`` returns in another thread, or raise what it raises."""
    outcome: dict[str, Any] = {}

    def target():
        try:
            outcome["value"] = run()
        except BaseException as error:
            outcome["error"] = error

    thread = Thread(target=target, daemon=True)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]


def refusal(call: Call, error: BaseException) -> list[str]:
    """Return what is wrong with an exception: nothing if it is documented, helpful and called
    for.
    """
    text, kind = str(error), type(error)
    said = f"{kind.__name__}: {' '.join(text.split())[:300]}"
    if isinstance(error, (callables.UserError, FloatingPointError)) and _own(error):
        return [f"late exception of a user's function let through: {said}"] if call.late else []
    if kind not in (ValueError, TypeError) and not (call.missing_file and kind is FileNotFoundError):
        return [f"undocumented exception: {said}"]
    if not _own(error) and not _deliberate(error):
        return [f"exception from the depths: {said}"]
    if len(text) < 20 or len(text) > LONGEST or DEPTHS.search(text):
        return [f"unhelpful message ({len(text)} characters): {said}"]
    if call.late:
        return [f"refused in the middle of a run: {said}"]
    if call.quality is Quality.GOOD:
        return [f"refused good arguments: {said}"]
    return []


def _frames(error):
    return traceback.extract_tb(error.__traceback__)


def _own(error):
    """Whether a user's own function raised it."""
    return _frames(error)[-1].filename.startswith(OWN)


def _deliberate(error):
    """Whether the library raised it by a ``raise`` of its own, not an operation that failed."""
    last = _frames(error)[-1]
    return last.filename.startswith(PACKAGE) and "raise " in linecache.getline(last.filename, last.lineno)


def _place(error):
    """Return the innermost line of the library."""
    ours = [frame for frame in _frames(error) if frame.filename.startswith(PACKAGE)]
    return f"{Path(ours[-1].filename).relative_to(PACKAGE)}:{ours[-1].lineno}" if ours else ""
