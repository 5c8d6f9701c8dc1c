"""UPS adapter, based on its published OpenAPI contracts.

Covers Rating, Shipping, Tracking, Pickup and Address Validation, in the versions of 2024-09.
"""
