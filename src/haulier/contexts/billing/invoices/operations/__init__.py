"""The operations of invoices."""
