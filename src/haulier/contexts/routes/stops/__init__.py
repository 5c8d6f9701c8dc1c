"""Stops: one visit on a route for one order, planned and observed. They say which order stands on which route."""
