"""Uniorder: rows to answers."""
