"""The decisions of accounts: pure functions on plain values."""
