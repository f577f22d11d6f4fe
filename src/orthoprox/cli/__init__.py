"""The command line, one module for each command.

Imports the front-door and the rooms _arrays, _linalg, smooth, nonsmooth, _adaptive, reproduce.
"""
