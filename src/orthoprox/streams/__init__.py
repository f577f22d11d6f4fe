"""Rows that come block by block, or as stored entries: their column means and scatter, and products
with the data centred and scaled, which are never formed as a whole.

Imports the rooms _arrays.
"""
