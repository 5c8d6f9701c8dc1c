"""Rules of quotes."""
