"""Chat: people who have to do with one order write to each other."""
