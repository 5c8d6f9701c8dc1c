"""Decisions of the protocol: plain functions on plain records."""
