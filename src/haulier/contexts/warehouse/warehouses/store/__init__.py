"""What the database holds of warehouses."""
