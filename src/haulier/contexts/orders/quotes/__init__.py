"""Quotes: what a local delivery would cost."""
