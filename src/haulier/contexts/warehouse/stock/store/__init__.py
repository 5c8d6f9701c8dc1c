"""What the database holds of stock."""
