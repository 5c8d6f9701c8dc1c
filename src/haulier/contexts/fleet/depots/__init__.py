"""Depots: where routes begin and end, and where parcels wait."""
