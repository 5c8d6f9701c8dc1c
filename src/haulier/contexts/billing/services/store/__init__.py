"""Store of services."""
