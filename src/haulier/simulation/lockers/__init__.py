"""Simulated lockers that use the real device protocols against a running server."""
