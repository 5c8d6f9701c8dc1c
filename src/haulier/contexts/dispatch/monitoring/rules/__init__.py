"""Decisions about what was observed: pure functions on plain records."""
