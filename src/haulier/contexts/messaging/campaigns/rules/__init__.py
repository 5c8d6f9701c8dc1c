"""What holds of consent, words, hours and texts; no I/O."""
