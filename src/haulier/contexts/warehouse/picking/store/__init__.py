"""What the database holds of picking."""
