"""The operations of app sessions."""
