"""The paper's experiments: specs in TOML, rows in JSON lines, and a report made of them alone.

Imports the front-door and the rooms _arrays, _linalg, files, smooth, nonsmooth, datasets,
problems, solvers, stopping, _run.
"""
