"""Linear algebra on plain arrays: geometry of X'X = I, sparse products, packed entries, Krylov and line searches.

Imports: _arrays.
"""
