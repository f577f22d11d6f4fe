"""Certificates, metrics and the one evaluator: every number that is reported about a point is made
here.

Imports the rooms _arrays, _linalg, smooth, nonsmooth, problems.
"""
