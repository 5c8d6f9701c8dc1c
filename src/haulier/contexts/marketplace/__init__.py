"""Delivery by partner businesses, and the driver route board."""
