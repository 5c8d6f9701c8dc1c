"""Writes of device orders."""
