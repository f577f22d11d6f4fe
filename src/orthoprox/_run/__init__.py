"""Running a method: the one loop, its result, the meter of time and work, lower minima, processes,
progress and pictures.

Imports the rooms _arrays, _linalg, files, nonsmooth, problems, _certify, stopping, _adaptive,
solvers, starts.
"""
