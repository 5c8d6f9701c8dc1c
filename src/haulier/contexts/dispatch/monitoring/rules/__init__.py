"""Decisions about what was seen: pure functions on plain records."""
