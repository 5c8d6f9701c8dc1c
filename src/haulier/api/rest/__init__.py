"""The REST door: routes, bodies and the OpenAPI description, all from the registry."""
