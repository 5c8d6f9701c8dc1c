"""The doors: they turn the registry of operations into interfaces. They hold no business rule and know no context."""
