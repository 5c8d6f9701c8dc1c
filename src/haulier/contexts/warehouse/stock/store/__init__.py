"""Database access of stock."""
