"""The authorisation server: requests and answers."""
