"""Uniorder: tables."""
