"""OAuth for agents."""
