"""Loopback host names and addresses."""

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
