"""What the database holds of reservations."""
