"""Contract of services."""
