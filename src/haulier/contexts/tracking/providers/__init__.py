"""Provider keys: with these, carriers and partners push events. A client issues them for itself alone."""
