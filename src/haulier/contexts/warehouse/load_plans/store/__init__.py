"""What the database holds of load plans."""
