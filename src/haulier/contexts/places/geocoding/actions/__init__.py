"""Geocoding as other families and contexts write it."""
