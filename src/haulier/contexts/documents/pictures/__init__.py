"""Contents of pictures."""
