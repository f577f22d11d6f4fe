"""The command line, one module for each command.

Imports the front-door and the rooms _arrays, _linalg, streams, files, tables, reports, smooth,
nonsmooth, stopping, _adaptive, solvers, reproduce.
"""
