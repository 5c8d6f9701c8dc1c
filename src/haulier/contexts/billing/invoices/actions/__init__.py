"""Writes on invoices."""
