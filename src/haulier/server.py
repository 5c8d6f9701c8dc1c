"""The ASGI application: the doors side by side, health and metrics, and background work in the same process when asked."""

import contextlib
import gc
from collections.abc import AsyncGenerator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.app import build_house, note_missing_modules
from haulier.backstage import background, rounds
from haulier.doors.discovery.app import discovery
from haulier.doors.graphql.app import graphql_app
from haulier.doors.mcp.app import McpDoor
from haulier.doors.oauth.app import oauth
from haulier.doors.origins import open_to
from haulier.doors.rest.app import RestApp
from haulier.doors.rest.openapi import openapi
from haulier.doors.safety import Safe, safe_headers
from haulier.doors.web.pages import pages
from haulier.health import health
from haulier.kernel.declarations import Server
from haulier.kernel.house import House
from haulier.observability import METRICS_TYPE, flush_spans, metrics
from haulier.settings import Settings

NOT_OPERATIONS = ("/api/graphql", "/api/mcp", "/api/openapi.json", "/api/docs")


class Front:
    """The street side: operations below /api go straight to the REST door, everything else through the other doors."""

    def __init__(self, rest: ASGIApp, others: ASGIApp) -> None:
        self.rest = rest
        self.others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on."""
        path: str = scope.get("path", "")
        if scope["type"] == "http" and path.startswith("/api/") and not path.startswith(NOT_OPERATIONS):
            scope["root_path"] = "/api"
            await self.rest(scope, receive, send)
        else:
            await self.others(scope, receive, send)


def application(settings: Settings, house: House | None = None) -> Front:
    """One process of the service. Opening the database and starting background work happen in its lifespan."""
    house = house or build_house(settings)
    user, developer = McpDoor(house, Server.USER), McpDoor(house, Server.DEVELOPER)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(flush_spans)
            await house.database.open()
            stack.push_async_callback(house.database.close)
            await note_missing_modules(house)
            await house.kept.hear(house.registry, stack)
            await stack.enter_async_context(rounds(house))
            await stack.enter_async_context(user.running())
            await stack.enter_async_context(developer.running())
            if settings.background:
                await stack.enter_async_context(background(house, settings.shutdown_grace_s))
            settle()
            yield

    graphql = open_to(settings.origins, graphql_app(house))
    description = openapi(house.registry, settings.base_url)

    async def describe(_: Request) -> Response:
        return JSONResponse(description)

    others = Starlette(
        lifespan=lifespan,
        routes=[
            Route("/api/openapi.json", describe),
            *health(house),
            Route("/metrics", _metrics),
            *(Route(path, endpoint=graphql) for path in ("/graphql", "/api/graphql")),
            *(Route(path, endpoint=developer) for path in ("/mcp/developer", "/api/mcp/developer")),
            *(Route(path, endpoint=user) for path in ("/mcp", "/api/mcp")),
            *discovery(house),
            *oauth(house),
            *pages(house, demo=settings.demo),
        ],
    )
    others.state.house = house
    https = settings.base_url.startswith("https:")
    rest = RestApp(house, added=safe_headers(https=https))
    return Front(open_to(settings.origins, rest), Safe(others, https=https))


def settle() -> None:
    """Let the garbage collector forget what lives as long as the process: each look at all of it would hold calls up."""
    gc.collect()
    gc.freeze()


async def _metrics(_: Request) -> Response:
    return Response(metrics(), media_type=METRICS_TYPE)
