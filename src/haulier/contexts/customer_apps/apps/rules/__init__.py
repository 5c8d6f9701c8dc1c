"""The decisions of apps: pure functions on plain values."""
