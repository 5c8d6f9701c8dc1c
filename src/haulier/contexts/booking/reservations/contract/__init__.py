"""What goes in and out of reservations."""
