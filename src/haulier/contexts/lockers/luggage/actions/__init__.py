"""Writes of luggage bookings, bags and claims."""
