"""Statements of accounts: clients, users, tokens, and failed sign-ins."""
