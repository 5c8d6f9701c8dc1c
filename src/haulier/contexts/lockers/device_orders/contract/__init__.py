"""What goes in and out of device orders."""
