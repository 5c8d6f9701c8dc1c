"""Carrier accounts: requests and answers."""
