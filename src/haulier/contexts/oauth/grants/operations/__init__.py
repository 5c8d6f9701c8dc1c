"""The operations of the authorisation server."""
