"""Labels: rows to answers."""
