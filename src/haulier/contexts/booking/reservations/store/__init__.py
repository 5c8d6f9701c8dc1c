"""Store of reservations."""
