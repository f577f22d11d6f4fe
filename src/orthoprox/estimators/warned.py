"""Warnings that point to the line which called the estimator."""

import sys
import warnings
from pathlib import Path

import sklearn

import orthoprox as op

_INSIDE = tuple(str(Path(str(package.__file__)).parent) for package in (op, sklearn))


def warn(message: str) -> None:
    """Issue a ``ConvergenceWarning`` at the first line outside of this library and scikit-learn."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, op.ConvergenceWarning, stacklevel=level)
