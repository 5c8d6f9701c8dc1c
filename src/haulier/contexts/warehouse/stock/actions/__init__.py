"""Writes of stock that other families and several operations call."""
