"""What goes in and out of the address book."""
