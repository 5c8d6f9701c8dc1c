"""Uniorder: operations."""
