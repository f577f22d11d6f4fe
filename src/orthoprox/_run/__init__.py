"""Running a method: the call and its units, the one loop, its result, what follows it, processes,
progress and pictures.

Imports the rooms _arrays, _linalg, streams, files, smooth, nonsmooth, problems, _certify,
stopping, _adaptive, solvers, starts.
"""
