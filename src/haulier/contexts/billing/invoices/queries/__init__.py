"""Reads of invoices, and their papers."""
