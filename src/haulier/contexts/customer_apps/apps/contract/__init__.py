"""Apps: requests and answers."""
