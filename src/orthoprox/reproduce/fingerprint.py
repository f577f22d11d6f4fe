"""Which code made a number: a hash of the sources of its study and its method, and of all that
these import.
"""

from functools import cache
from pathlib import Path

import orthoprox
from orthoprox.reproduce.sources import Sources
from orthoprox.reproduce.studies import STUDIES
from orthoprox.reproduce.studies.study import Settings

UNREAD = ("orthoprox._run.plot",)  # Result.plot imports it when it is called; it draws, and makes no numbers


def fingerprint(settings: Settings) -> str:
    """Return the hash for a run; layout, comments, docstrings, imports and the places of modules do
    not count.
    """
    return _fingerprint(settings["study"], settings["solver"])


def parts(study: str, solver: str) -> tuple[str, str]:
    """Return the modules from which the code of a run is found: those of its study and its
    method.
    """
    return STUDIES[study].execute.__module__, orthoprox.SOLVERS[solver].__module__


@cache
def sources() -> Sources:
    """Return the sources of this library."""
    return Sources(Path(orthoprox.__file__).parent, unread=UNREAD)


@cache
def _fingerprint(study: str, solver: str) -> str:
    return sources().hash(parts(study, solver))
