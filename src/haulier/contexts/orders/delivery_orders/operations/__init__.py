"""What can be asked of delivery orders."""
