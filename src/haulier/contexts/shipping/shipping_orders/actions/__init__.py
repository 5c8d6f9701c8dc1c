"""Actions of shipping orders."""
