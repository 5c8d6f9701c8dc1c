"""Rules: which files are taken, and what a picture says of itself."""
