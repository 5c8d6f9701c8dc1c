"""Provider keys: what carriers and partners show when they push events, issued by a client for itself alone."""
