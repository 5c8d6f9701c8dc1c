"""Decisions about routes: pure functions on plain records."""
