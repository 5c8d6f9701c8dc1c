"""Carriers behind shipping's port: UPS, ShipEngine, EasyPost and Canada Post, each by its public contract.

Of each, `requests` turns our shipments into its wire form, `answers` reads what it says, `carrier` asks over HTTP.
"""
