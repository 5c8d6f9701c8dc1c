"""Parsing of untrusted files in child processes with resource limits."""
