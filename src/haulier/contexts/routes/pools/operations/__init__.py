"""Contractor rules, and the pools that follow from them."""
