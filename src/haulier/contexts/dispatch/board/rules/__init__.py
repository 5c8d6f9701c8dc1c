"""What a route would be like, as pure functions on plain records."""
