"""Customer apps."""
