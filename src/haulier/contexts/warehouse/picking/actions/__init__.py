"""Writes of picking that other families and several operations call."""
