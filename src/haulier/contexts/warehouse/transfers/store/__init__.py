"""What the database holds of transfers."""
