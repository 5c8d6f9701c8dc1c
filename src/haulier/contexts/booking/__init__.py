"""Delivery windows that customers reserve."""
