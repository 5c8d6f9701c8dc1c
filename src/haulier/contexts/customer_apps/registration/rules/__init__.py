"""The decisions of registration: pure functions on plain values."""
