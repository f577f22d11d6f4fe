"""Running a method: the one loop, its result, clocks, processes, progress and pictures.

Imports: _arrays, _linalg, nonsmooth, problems, _certify, stopping, _adaptive, solvers, starts.
"""
