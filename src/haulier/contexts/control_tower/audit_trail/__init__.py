"""Audit trail: who did what to an order."""
