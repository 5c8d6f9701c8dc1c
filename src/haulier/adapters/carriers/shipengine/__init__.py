"""ShipEngine (ShipStation API) adapter for an aggregator of carriers.

Based on version 1 of its published OpenAPI contract.
"""
