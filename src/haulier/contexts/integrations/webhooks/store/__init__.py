"""The tables of webhooks, and every statement on them."""
