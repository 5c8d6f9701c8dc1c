"""What the world asks of the authorisation server, and gets."""
