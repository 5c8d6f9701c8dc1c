"""Writes of orders for storage."""
