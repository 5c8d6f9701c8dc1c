"""Actions of online payments."""
