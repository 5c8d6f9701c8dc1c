"""Simulated carriers: one server with the wire forms of UPS, ShipEngine, EasyPost and Canada Post, which fails on demand."""
