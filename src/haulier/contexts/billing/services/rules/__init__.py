"""Rules of services."""
