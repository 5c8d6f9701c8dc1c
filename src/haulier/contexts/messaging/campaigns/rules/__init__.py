"""Rules of consent, replies, hours and messages; no I/O."""
