"""Geocoding: where on earth an address is, and how sure that is."""
