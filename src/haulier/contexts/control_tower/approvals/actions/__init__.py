"""Actions."""
