"""Rules of products."""
