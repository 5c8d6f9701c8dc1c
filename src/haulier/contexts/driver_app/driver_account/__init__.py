"""Driver account."""
