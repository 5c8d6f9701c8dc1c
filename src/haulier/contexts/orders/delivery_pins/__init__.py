"""Delivery PINs: what a recipient says at the door, made by us and shown to the recipient alone."""
