"""Running a method: the one loop, its result, lower minima, clocks, processes, progress and
pictures.

Imports the rooms _arrays, _linalg, nonsmooth, problems, _certify, stopping, _adaptive, solvers,
starts.
"""
