"""What goes in and out of orders for storage."""
