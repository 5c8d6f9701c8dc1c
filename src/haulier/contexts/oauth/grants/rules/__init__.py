"""What is decided about agents and their grants."""
