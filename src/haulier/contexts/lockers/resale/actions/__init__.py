"""Writes of rental offers and locker rentals."""
