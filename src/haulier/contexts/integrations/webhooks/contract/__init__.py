"""Webhooks: what the world asks and gets."""
