"""Channels: who may hear which topics of the broker, by tickets that last for minutes."""
