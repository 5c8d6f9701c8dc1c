"""Contract of shipping orders."""
