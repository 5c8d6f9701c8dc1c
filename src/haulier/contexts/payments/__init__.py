"""Payments: customers pay the business online, and hear what came of it."""
