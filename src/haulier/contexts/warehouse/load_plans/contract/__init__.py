"""What goes in and out of load plans."""
