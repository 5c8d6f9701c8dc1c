"""Rules of zone maps."""
