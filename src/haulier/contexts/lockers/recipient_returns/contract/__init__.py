"""What goes in and out of recipients' returns."""
