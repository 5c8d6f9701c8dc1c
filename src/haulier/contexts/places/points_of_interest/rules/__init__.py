"""Rules of points of interest."""
