"""The one reader and writer of files: a header and arrays, versioned, written whole or not at all.

Imports the rooms _arrays.
"""
