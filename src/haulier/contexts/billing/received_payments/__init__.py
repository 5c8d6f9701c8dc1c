"""Payments received from customers and their allocation to invoices."""
