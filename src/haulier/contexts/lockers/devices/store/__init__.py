"""The tables of devices."""
