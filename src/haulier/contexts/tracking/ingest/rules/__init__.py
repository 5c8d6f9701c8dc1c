"""Rules of inbound documents: plain functions from bytes to events."""
