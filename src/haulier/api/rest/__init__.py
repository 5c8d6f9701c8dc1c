"""REST API: routes, bodies and the OpenAPI document, derived from the registry."""
