"""Writes of locker parcels."""
