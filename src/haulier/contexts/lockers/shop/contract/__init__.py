"""What goes in and out of the locker shop."""
