"""CORS for the REST and GraphQL APIs, limited to the configured origins."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

ALLOWED_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
EXPOSED_HEADERS = ("Content-Language", "ETag", "Last-Modified", "Link", "Retry-After", "X-Approval", "X-Request-Id")
"""Response headers that pages can read."""
PREFLIGHT_MAX_AGE_S = 600
"""Seconds that a browser may cache the response to a preflight request."""


def allow_origins(origins: str | None, app: ASGIApp) -> ASGIApp:
    """Wrap an app with CORS for comma-separated origins, or `*` for all.

    Pages of other origins can't read responses. Credentials are not allowed because these interfaces ignore cookies.
    """
    if origins is None:
        return app
    return CORSMiddleware(
        app,
        origins.split(","),
        allow_methods=ALLOWED_METHODS,
        allow_headers=("*",),
        expose_headers=EXPOSED_HEADERS,
        max_age=PREFLIGHT_MAX_AGE_S,
    )
