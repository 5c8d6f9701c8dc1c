"""Partnerships, offering, taking and reporting."""
