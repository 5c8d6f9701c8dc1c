"""Payments: online payments of customers, and their results."""
