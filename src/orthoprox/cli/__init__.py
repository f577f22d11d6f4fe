"""The command line, one module for each command.

Imports the front-door and the rooms _arrays, smooth, nonsmooth, reproduce.
"""
