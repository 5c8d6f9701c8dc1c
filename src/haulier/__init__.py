"""Haulier: an open transport-management platform that delivery businesses run themselves."""

__version__ = "0.1.0"
