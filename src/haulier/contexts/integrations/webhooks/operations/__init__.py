"""Webhooks: what can be asked."""
