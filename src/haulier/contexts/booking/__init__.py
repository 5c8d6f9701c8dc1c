"""Booking."""
