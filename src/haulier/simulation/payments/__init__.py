"""Simulated Stripe with payments, refunds, disputes, events and faults."""
