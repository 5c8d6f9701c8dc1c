"""Writes of invoices for other families."""
