"""Writes of ship-outs."""
