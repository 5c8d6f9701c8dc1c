"""What the database holds of orders for storage."""
