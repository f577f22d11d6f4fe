"""Array libraries, and checks of what users pass: the only room that knows which libraries exist.

Imports no other room.
"""
