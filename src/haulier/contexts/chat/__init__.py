"""Chat between the parties of an order."""
