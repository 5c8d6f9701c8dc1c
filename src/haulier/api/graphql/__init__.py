"""The GraphQL door: one schema from the registry, every field through the pipeline."""
