"""Handovers: information for a driver at a stop, and the proof required there."""
