"""What goes in and out of the driver's app."""
