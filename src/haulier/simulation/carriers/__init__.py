"""Simulated UPS, ShipEngine, EasyPost and Canada Post APIs with scripted faults."""
