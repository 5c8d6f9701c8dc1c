"""Webhooks: requests and answers."""
