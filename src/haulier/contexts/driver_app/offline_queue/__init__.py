"""Offline queue."""
