"""The tables of device orders and their statements."""
