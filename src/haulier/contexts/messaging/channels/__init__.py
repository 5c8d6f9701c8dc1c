"""Channels: access to broker topics by tickets that are valid for minutes."""
