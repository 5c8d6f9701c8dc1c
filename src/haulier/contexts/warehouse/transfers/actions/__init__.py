"""What is done with transfers."""
