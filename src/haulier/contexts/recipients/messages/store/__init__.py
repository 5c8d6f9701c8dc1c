"""The store of messages."""
