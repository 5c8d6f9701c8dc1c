"""Canada Post adapter, based on its published XML contracts.

Covers rating, contract shipping, manifests, tracking and on-demand pickups.
"""
