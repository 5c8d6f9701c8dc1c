"""Uniorder: decisions."""
