"""The operations of orders for storage."""
