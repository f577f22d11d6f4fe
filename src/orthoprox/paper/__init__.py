"""What the paper itself says: its theory and the constants of its experiments.

Imports the rooms _arrays, _linalg, smooth, problems.
"""
