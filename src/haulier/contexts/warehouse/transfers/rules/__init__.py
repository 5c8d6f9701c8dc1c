"""Decisions about transfers."""
