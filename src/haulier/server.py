"""The ASGI application: interfaces, health checks and background work."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.api.cors import allow_origins
from haulier.api.devices.asyncapi import asyncapi_document
from haulier.api.devices.frames import Devices
from haulier.api.devices.mqtt import mqtt_route
from haulier.api.devices.sockets import socket_route
from haulier.api.discovery.app import discovery_routes, invalid_request_response
from haulier.api.late import LateApp, LateInterface
from haulier.api.rest.app import RestApp
from haulier.api.rest.openapi import field_translations, openapi_document, openapi_of_tag
from haulier.api.security_headers import SecurityHeadersMiddleware, security_headers
from haulier.api.slow_clients import SlowClientLimit
from haulier.app import (
    begin_to_remember,
    build_application,
    detect_missing_modules,
    device_interface,
    make_key_watch,
    make_node,
    outside_connections,
    topic_prefix,
)
from haulier.background import background_worker, periodic_tasks
from haulier.health import health_routes
from haulier.kernel.application import Application
from haulier.kernel.background.streams import FactStream
from haulier.kernel.maintenance import watch_maintenance
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.pipeline.outages import OUTAGES
from haulier.observability import flush_spans
from haulier.process_monitor import ProcessMonitor
from haulier.settings import Settings
from haulier.solvers.routing.installed import is_routing_installed
from haulier.web.errors import answer_missing_route, answer_outage
from haulier.web.oauth.routes import oauth_routes
from haulier.web.site import page_routes

log = logging.getLogger("haulier.server")
YOUNG_OBJECTS = 5000
"""Number of new objects that triggers garbage collection. Python's 700 make a batch of events 6 % slower."""

if TYPE_CHECKING:
    from haulier.api.mcp.app import McpInterface

EXCEPTION_HANDLERS: Any = {
    **dict.fromkeys((404, 405), answer_missing_route),
    **dict.fromkeys(OUTAGES, answer_outage),
}
"""Answers for missing routes, and for pages during a database outage."""
GRAPHQL_PATHS = ("/graphql", "/api/graphql")
USER_MCP_PATHS = ("/mcp", "/api/mcp")
DEVELOPER_MCP_PATHS = ("/mcp/developer", "/api/mcp/developer")
NON_OPERATION_PATHS = (
    "/api/mcp",
    "/api/openapi.json",
    "/api/field-translations.json",
    "/api/asyncapi.json",
    "/api/docs",
)


class PathDispatcher:
    """Dispatches requests to interfaces by path.

    Paths below /api are REST operations; the other interfaces have fixed paths.
    """

    def __init__(self, rest: ASGIApp, interfaces: Mapping[str, ASGIApp], others: ASGIApp) -> None:
        self.rest = rest
        self.interfaces = interfaces
        self.others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Dispatch one connection."""
        path: str = scope.get("path", "")
        is_http = scope["type"] == "http"
        interface = self.interfaces.get(path.removesuffix("/")) if is_http else None
        if interface is not None:
            await interface(scope, receive, send)
        elif is_http and path.startswith("/api/") and not path.startswith(NON_OPERATION_PATHS):
            scope["root_path"] = "/api"
            await self.rest(scope, receive, send)
        else:
            await self.others(scope, receive, send)


Companion = Callable[[Application], contextlib.AbstractAsyncContextManager[None]]
"""Work beside a server process, open while it serves."""


def create_asgi_app(
    settings: Settings, app: Application | None = None, companions: Sequence[Companion] = ()
) -> ASGIApp:
    """Return the application of one server process.

    Its lifespan opens the database, and starts background work and the companions.
    """
    app = app or build_application(settings)
    node, keys = make_node(app, settings), make_key_watch(app)
    user, developer = (
        LateInterface(partial(_mcp_interface, app, server)) for server in (McpServer.USER, McpServer.DEVELOPER)
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(flush_spans)
            await app.database.open()
            for close in (app.database.close, app.adapter(FactStream).close, app.rate_limiter.close):
                stack.push_async_callback(close)
            await stack.enter_async_context(keys.watching())
            await stack.enter_async_context(node.joined())
            await detect_missing_modules(app)
            await begin_to_remember(app, stack)
            await stack.enter_async_context(ProcessMonitor().watch(app))
            for context in (watch_maintenance(app), periodic_tasks(app), user.running(), developer.running()):
                await stack.enter_async_context(context)
            await stack.enter_async_context(outside_connections(app, background=settings.background))
            if settings.background:
                await stack.enter_async_context(background_worker(app, settings.shutdown_grace_s, settings.lanes))
            for companion in companions:
                await stack.enter_async_context(companion(app))
            _settle()
            yield

    others = Starlette(
        lifespan=lifespan,
        exception_handlers=EXCEPTION_HANDLERS,
        routes=[
            *_description_routes(app, settings),
            *health_routes(app, node, keys),
            *(_device_routes(app) if app.find_adapter(Devices) else ()),
            *discovery_routes(app),
            *oauth_routes(app),
            *page_routes(app, demo=settings.demo),
        ],
    )
    others.state.app = app
    graphql = allow_origins(settings.origins, LateApp(partial(_graphql_app, app)))
    return SlowClientLimit(_dispatcher(app, settings, graphql, user, developer, others), app.catalogues)


def _description_routes(app: Application, settings: Settings) -> list[Route]:
    return [
        Route("/api/openapi.json", _openapi(app, settings.base_url)),
        Route("/api/field-translations.json", _shown(field_translations)),
    ]


def _openapi(app: Application, base_url: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of the OpenAPI document, whole or of one `tag`."""

    async def answer(request: Request) -> Response:
        document = await asyncio.to_thread(openapi_document, app.registry, base_url)
        tag = request.query_params.get("tag")
        if tag is None:
            return JSONResponse(document)
        known = [each["name"] for each in document["tags"]]
        if tag not in known:
            return invalid_request_response(
                app, request, FieldError("tag", "field.literal_error", {"expected": ", ".join(known)})
            )
        return JSONResponse(openapi_of_tag(document, tag))

    return answer


def _device_routes(app: Application) -> list[BaseRoute]:
    """Return the routes for device connections and their description."""
    devices = device_interface(app, "websocket")
    return [
        Route("/api/asyncapi.json", _shown(partial(asyncapi_document, app.registry, devices.devices))),
        socket_route(devices),
        mqtt_route(device_interface(app, "mqtt"), topic_prefix(app)),
    ]


def _dispatcher(
    app: Application, settings: Settings, graphql: ASGIApp, user: ASGIApp, developer: ASGIApp, others: ASGIApp
) -> PathDispatcher:
    """Return the dispatcher of all interfaces, with security headers."""
    https = settings.base_url.startswith("https:")
    rest = allow_origins(settings.origins, RestApp(app, extra_headers=security_headers(https=https)))
    graphql, user, developer, others = (
        SecurityHeadersMiddleware(interface, https=https) for interface in (graphql, user, developer, others)
    )
    interfaces = {
        **dict.fromkeys(GRAPHQL_PATHS, graphql),
        **dict.fromkeys(USER_MCP_PATHS, user),
        **dict.fromkeys(DEVELOPER_MCP_PATHS, developer),
    }
    return PathDispatcher(rest, interfaces, others)


def _shown(describe: Callable[[], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a description, which is created on first use."""
    document = lru_cache(maxsize=1)(describe)

    async def answer(_: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(document))

    return answer


def _graphql_app(app: Application) -> ASGIApp:
    from haulier.api.graphql.app import graphql_app

    return graphql_app(app)


def _mcp_interface(app: Application, server: McpServer) -> "McpInterface":
    from haulier.api.mcp.app import McpInterface

    return McpInterface(app, server)


def _settle() -> None:
    """Run the last steps before a process serves."""
    freeze_garbage_collector()
    if not is_routing_installed():
        log.warning("routes can be neither built nor timed. Install haulier[routing].")


def freeze_garbage_collector() -> None:
    """Exclude long-lived objects from garbage collection, which would delay calls."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)
