"""The SQL of delivery orders."""
