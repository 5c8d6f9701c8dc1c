"""The routes of the authorisation server and of the documents about it."""

from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.application import Application
from haulier.kernel.pipeline.token_audience import SERVER_PATHS
from haulier.web.oauth.consent import authorize_page, submit_decision
from haulier.web.oauth.endpoints import issue_tokens, register_client, revoke_token
from haulier.web.oauth.metadata import (
    AUTHORIZE_PATH,
    REGISTER_PATH,
    RESOURCE_METADATA_PATH,
    REVOKE_PATH,
    SERVER_METADATA_PATH,
    TOKEN_PATH,
    resource_metadata,
    server_metadata,
)

PUBLIC_HEADERS = {"Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*"}


def oauth_routes(app: Application) -> list[BaseRoute]:
    """Return the routes. The document without a path describes `/mcp`."""
    about = {path: cache(partial(resource_metadata, app.registry, app.base_url, path)) for path in SERVER_PATHS}
    about[""] = about["/mcp"]
    return [
        *(_metadata_route(f"{RESOURCE_METADATA_PATH}{path}", document) for path, document in about.items()),
        _metadata_route(SERVER_METADATA_PATH, cache(partial(server_metadata, app.base_url))),
        Route(AUTHORIZE_PATH, authorize_page, methods=["GET"]),
        Route(AUTHORIZE_PATH, submit_decision, methods=["POST"]),
        _cors_route(TOKEN_PATH, issue_tokens, "POST"),
        _cors_route(REGISTER_PATH, register_client, "POST"),
        _cors_route(REVOKE_PATH, revoke_token, "POST"),
    ]


def _metadata_route(path: str, document: Callable[[], bytes]) -> Route:
    async def answer(_: Request) -> Response:
        return Response(document(), headers=PUBLIC_HEADERS, media_type="application/json")

    return _cors_route(path, answer, "GET")


def _cors_route(path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str) -> Route:
    """Return a route that allows any origin (CORS).

    Some agents run in browsers, and these routes use no cookie. The authorization endpoint is excluded, as only users
    open it.
    """
    cors_options: dict[str, Any] = {
        "allow_origins": ("*",),
        "allow_headers": ("*",),
        "expose_headers": ("Retry-After",),
    }
    cors = Middleware(CORSMiddleware, allow_methods=(method,), **cors_options)
    return Route(path, endpoint, methods=[method, "OPTIONS"], middleware=[cors])
