"""Geocoding as other families and contexts ask it."""
