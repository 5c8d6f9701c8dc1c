"""The background work of SMS Marketing."""
