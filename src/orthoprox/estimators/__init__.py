"""Estimators with scikit-learn's interface: data in, named loadings out.

Imports the rooms front-door, _arrays, streams, files, smooth, nonsmooth, problems,
stopping, _run.
"""
