"""The operations of registration."""
