"""Discovery documents for agents and their developers, derived from the registry."""
