"""List refused events; list, show and replay carriers' messages."""
