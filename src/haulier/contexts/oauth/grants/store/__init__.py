"""The SQL of the authorisation server."""
