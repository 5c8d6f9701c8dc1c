"""Simulation of a delivery day by an HTTP client that knows the API only."""
