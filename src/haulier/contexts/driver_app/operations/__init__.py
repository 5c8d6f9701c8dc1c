"""What the driver's app can ask."""
