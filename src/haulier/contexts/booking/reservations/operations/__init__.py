"""Zones, patterns, windows, and the reservations of customers."""
