"""The board: putting routes on it, taking them, reading it, and rules for single drivers."""
