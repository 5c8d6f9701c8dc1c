"""Generator of the client libraries in `sdk/` from `published/openapi.json`."""
