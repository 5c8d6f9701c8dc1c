"""Fleets: the vehicles that routes are driven with, what they hold, what they cost and how far they may go."""
