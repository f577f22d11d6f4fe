"""Linear algebra on plain arrays: geometry of X'X = I, sparse products, packed entries, Krylov
methods, line searches.

Imports the rooms _arrays.
"""
