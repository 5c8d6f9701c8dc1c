"""Billing: what customers have with the business and owe it, in a ledger of double entry, and how they pay online."""
