"""The ASGI application: the doors side by side, health and metrics, and background work in the same process when asked."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.adapters.migrations import pending
from haulier.app import build_house, note_missing_modules
from haulier.backstage import worker_for
from haulier.doors.graphql.app import graphql_app
from haulier.doors.mcp.app import McpDoor
from haulier.doors.rest.app import RestApp
from haulier.doors.rest.openapi import openapi
from haulier.doors.web.pages import pages
from haulier.kernel.declarations import Server
from haulier.kernel.house import House
from haulier.settings import Settings

log = logging.getLogger("haulier.server")
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
            await house.database.open()
            stack.push_async_callback(house.database.close)
            await note_missing_modules(house)
            await stack.enter_async_context(user.running())
            await stack.enter_async_context(developer.running())
            if settings.background:
                await stack.enter_async_context(background(house, settings))
            yield

    graphql = graphql_app(house)
    description = openapi(house.registry, settings.base_url)

    async def describe(_: Request) -> Response:
        return JSONResponse(description)

    others = Starlette(
        lifespan=lifespan,
        routes=[
            Route("/api/openapi.json", describe),
            *(Route(path, _health(house, settings, path)) for path in ("/healthz", "/readyz")),
            Route("/metrics", _metrics),
            *(Route(path, endpoint=graphql) for path in ("/graphql", "/api/graphql")),
            *(Route(path, endpoint=developer) for path in ("/mcp/developer", "/api/mcp/developer")),
            *(Route(path, endpoint=user) for path in ("/mcp", "/api/mcp")),
            *pages(house, demo=settings.demo),
        ],
    )
    return Front(RestApp(house), others)


@contextlib.asynccontextmanager
async def background(house: House, settings: Settings) -> AsyncGenerator[None]:
    """Background work while the context is open; on leaving, running jobs get the grace to finish."""
    worker = worker_for(house)
    task = asyncio.create_task(worker.run(), name="worker")
    try:
        yield
    finally:
        await worker.stop(settings.shutdown_grace_s)
        await task


async def _metrics(_: Request) -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _health(house: House, settings: Settings, path: str):  # a Starlette endpoint
    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        try:
            await house.database.ping()
            waiting = await asyncio.to_thread(pending, settings.database)
        except Exception:
            log.exception("not ready")
            return JSONResponse({"status": "database unreachable"}, status_code=503)
        if waiting:
            return JSONResponse({"status": "migrations pending", "pending": waiting}, status_code=503)
        return JSONResponse({"status": "ready"})

    return ready if path == "/readyz" else alive
