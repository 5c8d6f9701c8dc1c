"""What a plan search may do, and when."""
