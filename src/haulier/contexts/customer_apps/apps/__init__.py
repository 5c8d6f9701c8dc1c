"""Apps: the platform's own apps, and how each client offers them to its people."""
