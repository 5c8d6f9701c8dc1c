"""Writes of locker deliveries."""
