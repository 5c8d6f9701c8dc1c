"""Carrier adapters for UPS, ShipEngine, EasyPost and Canada Post.

Each follows the carrier's public API contract. `requests` builds request bodies, `answers` parses responses, and
`carrier` makes the HTTP calls.
"""
