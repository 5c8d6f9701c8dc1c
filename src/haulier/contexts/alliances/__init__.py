"""Alliances: businesses that let each other read the tracking of their parcels."""
