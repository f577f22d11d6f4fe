"""The parts of the default method: the first-order step, its parameter rules, Newton's method,
polish.

Imports the rooms _arrays, _linalg, smooth, nonsmooth, problems, _certify.
"""
