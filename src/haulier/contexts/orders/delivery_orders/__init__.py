"""Delivery orders: the local delivery order and its states."""
