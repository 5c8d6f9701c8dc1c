"""Delivery PINs: generated codes, known to the recipient, that prove a delivery."""
