"""What the database holds of advices."""
