"""Dispatch: the board of a day, and monitoring of drivers and routes in transit."""
