"""Carrier accounts: what they mean, and what a parcel costs by a tariff."""
