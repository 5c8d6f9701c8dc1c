"""Requests and answers of accounts."""
