"""Decisions about agents and their grants."""
