"""The operations of apps."""
