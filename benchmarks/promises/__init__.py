"""Trials of what docs/reliability.md promises."""
