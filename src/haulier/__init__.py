"""Haulier: an open transport management platform for delivery businesses."""

__version__ = "0.1.0"
