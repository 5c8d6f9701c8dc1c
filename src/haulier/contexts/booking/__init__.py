"""Booking: delivery windows that customers reserve."""
