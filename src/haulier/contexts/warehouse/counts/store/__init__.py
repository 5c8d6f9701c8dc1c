"""What the database holds of counts."""
