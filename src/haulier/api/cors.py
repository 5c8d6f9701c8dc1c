"""CORS: pages of the origins that the operator names may call the REST and GraphQL doors, with a token of theirs."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

ALLOWED_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
EXPOSED_HEADERS = ("Content-Language", "ETag", "Last-Modified", "Link", "Retry-After", "X-Approval", "X-Request-Id")
"""What a page may read of an answer besides its body."""
PREFLIGHT_MAX_AGE_S = 600
"""How long a browser may cache the answer to a preflight request."""


def allow_origins(origins: str | None, app: ASGIApp) -> ASGIApp:
    """The same for pages of these origins, with commas between them, or `*` for all pages. Nobody else's page reads an answer.

    A browser sends nothing by itself: cookies are ignored at these doors and are not asked for.
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
