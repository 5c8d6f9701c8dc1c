"""The names and addresses by which a machine reaches itself, and nobody else does."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
