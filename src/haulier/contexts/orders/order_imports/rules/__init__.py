"""Decisions about files of orders."""
