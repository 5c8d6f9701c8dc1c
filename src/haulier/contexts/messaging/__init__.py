"""Messaging."""
