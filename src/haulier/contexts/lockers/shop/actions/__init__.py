"""Writes of the locker shop, within the caller's transaction."""
