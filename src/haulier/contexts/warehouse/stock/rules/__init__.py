"""Rules of stock."""
