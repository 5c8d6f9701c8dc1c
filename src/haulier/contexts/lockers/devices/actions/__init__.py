"""Writes of devices and commands."""
