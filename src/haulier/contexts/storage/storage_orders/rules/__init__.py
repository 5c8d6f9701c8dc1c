"""Decisions about storage."""
