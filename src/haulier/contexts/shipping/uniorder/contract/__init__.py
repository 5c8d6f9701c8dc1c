"""Uniorder: requests and answers."""
