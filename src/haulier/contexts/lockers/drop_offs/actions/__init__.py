"""Writes of locker drop-offs."""
