"""The tables of the driver's app."""
