"""Implementations of the ports: for each an embedded default and a real one."""
