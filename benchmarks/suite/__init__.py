"""The suite of small real tables: whole default calls in a process of their own, against an older
version, other packages and the best that is known.
"""
