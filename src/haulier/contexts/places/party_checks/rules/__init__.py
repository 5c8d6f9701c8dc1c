"""Rules of checks of parties."""
