"""Addresses written: one by one, and as a file has them."""
