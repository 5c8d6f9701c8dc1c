"""What goes in and out of plan searches."""
