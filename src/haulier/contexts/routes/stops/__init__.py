"""Stops: one visit on a route for one order, planned and observed.

They define which order is on which route.
"""
