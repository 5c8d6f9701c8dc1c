"""Labels: requests and answers."""
