"""Statements of timelines: subjects, their numbers, and append-only events."""
