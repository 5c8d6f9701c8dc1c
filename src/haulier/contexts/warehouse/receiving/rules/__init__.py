"""Rules of receiving."""
