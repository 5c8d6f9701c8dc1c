"""The rules of invoices."""
