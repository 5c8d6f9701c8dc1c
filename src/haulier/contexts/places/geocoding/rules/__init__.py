"""Decisions about addresses as texts: their words, and how exact a place is."""
