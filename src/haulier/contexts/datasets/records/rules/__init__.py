"""Rules of records."""
