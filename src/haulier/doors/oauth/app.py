"""The routes of the authorisation server and of the documents about it."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.doors.oauth.consent import authorize, decide
from haulier.doors.oauth.documents import (
    AUTHORIZE,
    REGISTER,
    RESOURCE_DOCUMENT,
    REVOKE,
    SERVER_DOCUMENT,
    TOKEN,
    resource_document,
    server_document,
)
from haulier.doors.oauth.endpoints import register, revoke, token
from haulier.kernel.audience import PATHS
from haulier.kernel.house import House

FOR_ALL = {"Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*"}


def oauth(house: House) -> list[BaseRoute]:
    """The routes. The document without a path is about `/mcp`, where the interface says that it is published."""
    about = {path: resource_document(house.registry, house.base_url, path) for path in PATHS}
    about[""] = about["/mcp"]
    return [
        *(_document(f"{RESOURCE_DOCUMENT}{path}", body) for path, body in about.items()),
        _document(SERVER_DOCUMENT, server_document(house.base_url)),
        Route(AUTHORIZE, authorize, methods=["GET"]),
        Route(AUTHORIZE, decide, methods=["POST"]),
        _for_pages(TOKEN, token, "POST"),
        _for_pages(REGISTER, register, "POST"),
        _for_pages(REVOKE, revoke, "POST"),
    ]


def _document(path: str, body: bytes) -> Route:
    async def answer(_: Request) -> Response:
        return Response(body, headers=FOR_ALL, media_type="application/json")

    return _for_pages(path, answer, "GET")


def _for_pages(path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str) -> Route:
    """A route whose answers any page may read: agents live in browsers, too, and these look at no cookie.

    The authorisation endpoint is none of them: people come to it, programs never do.
    """
    words: dict[str, Any] = {"allow_origins": ("*",), "allow_headers": ("*",), "expose_headers": ("Retry-After",)}
    cors = Middleware(CORSMiddleware, allow_methods=(method,), **words)
    return Route(path, endpoint, methods=[method, "OPTIONS"], middleware=[cors])
