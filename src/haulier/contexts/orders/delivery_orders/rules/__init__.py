"""Decisions about delivery orders: plain functions on plain records."""
