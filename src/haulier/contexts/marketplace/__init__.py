"""Marketplace."""
