"""Reads foreign files in child processes with limits."""
