"""The store of apps."""
