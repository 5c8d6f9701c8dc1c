"""The tables of geocoding."""
