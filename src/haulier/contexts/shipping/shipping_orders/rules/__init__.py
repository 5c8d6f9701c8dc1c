"""Rules of shipping orders."""
