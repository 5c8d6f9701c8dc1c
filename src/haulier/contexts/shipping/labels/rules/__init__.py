"""Labels: decisions."""
