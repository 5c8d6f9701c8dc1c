"""SMS providers with delivery receipts, each with its own API."""
