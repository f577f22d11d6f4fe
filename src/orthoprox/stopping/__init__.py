"""Stopping rules, the snapshot that they read, the paper's rules, the clock of a call (its meter
and its deadline), and the status that a run ends with.

Imports the rooms _arrays, files, problems, _certify.
"""

from orthoprox.stopping import paper
from orthoprox.stopping.rules import Below, Leaves, MaxIterations, MaxSeconds, ObjectiveBelow, Stationary, Stop
from orthoprox.stopping.status import Status

__all__ = ["Below", "Leaves", "MaxIterations", "MaxSeconds", "ObjectiveBelow", "Stationary", "Status", "Stop", "paper"]
