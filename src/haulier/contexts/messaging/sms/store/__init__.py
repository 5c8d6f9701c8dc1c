"""The store of text messages."""
