"""GraphQL API: one schema from the registry, with each field run by the pipeline."""
