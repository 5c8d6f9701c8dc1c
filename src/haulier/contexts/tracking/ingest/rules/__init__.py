"""Decisions about inbound documents: plain functions from bytes to what was told."""
