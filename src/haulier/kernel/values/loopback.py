"""The names and addresses by which a machine reaches itself, and nobody else does."""

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
