"""What is done with bookings of luggage, their bags and claims."""
