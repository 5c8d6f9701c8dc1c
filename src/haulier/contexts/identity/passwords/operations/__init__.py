"""The operations of passwords."""
