"""Batches: many orders in one call, now or later."""
