"""Reads of invoices, and their documents."""
