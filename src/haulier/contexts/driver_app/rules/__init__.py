"""Decisions for the driver's app: pure functions on plain records."""
