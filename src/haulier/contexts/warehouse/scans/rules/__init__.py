"""Decisions about scans."""
