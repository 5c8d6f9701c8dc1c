"""Recipients' messages, and their view of and choices for deliveries."""
