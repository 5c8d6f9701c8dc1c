"""What goes in and out of the luggage relay."""
