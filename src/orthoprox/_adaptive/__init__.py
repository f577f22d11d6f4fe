"""The phases of the default method: first-order steps, working-set epochs, smoothing Newton, polish; and their rules.

Imports: _arrays, _linalg, smooth, nonsmooth, problems, _certify.
"""
