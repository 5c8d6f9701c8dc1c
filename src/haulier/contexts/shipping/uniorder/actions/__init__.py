"""Uniorder: what is rated, ordered and bought."""
