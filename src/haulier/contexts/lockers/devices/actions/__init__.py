"""What is done with devices and commands."""
