"""Decisions of webhooks: addresses, signatures, subscriptions and retries."""
