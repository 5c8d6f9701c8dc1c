"""Inbound parcels: announced, seen, received, matched."""
