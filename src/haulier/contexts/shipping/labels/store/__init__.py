"""The store of labels."""
