"""What the database holds of products."""
