"""Reads of orders for storage that others call."""
