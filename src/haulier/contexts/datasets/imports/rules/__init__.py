"""Rules of imports."""
