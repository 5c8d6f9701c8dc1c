"""Online payment providers."""
