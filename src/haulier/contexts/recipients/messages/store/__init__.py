"""Store of recipient messages."""
