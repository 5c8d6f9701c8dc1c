"""What the database holds of the locker shop."""
