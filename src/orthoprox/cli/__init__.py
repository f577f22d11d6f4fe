"""The command line, one module for each command.

Imports: _arrays, smooth, nonsmooth, problems, solvers, reproduce, and the front door.
"""
