"""GraphQL explorer at `/api/docs/graphql`: find a field, run a sample document."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.api.late import LateApp
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import GraphQL
from haulier.kernel.operations.enums import Effect
from haulier.web.i18n import page_translator
from haulier.web.rendering import PAGE_SECURITY_HEADERS, render_page
from haulier.web.session import current_session

if TYPE_CHECKING:
    from haulier.api.graphql.starter_query import StarterQuery

FIRST_FIELD = "whoAmI"
"""Initial field, available to all signed-in users."""
NO_STORE = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-store"}


def graphql_explorer_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of the page, its field details and GraphQL calls."""
    interface = LateApp(partial(_graphql_app, app))
    fields = _fields(app)

    async def explorer(request: Request) -> Response:
        session = await current_session(request)
        chosen = request.query_params.get("field") or FIRST_FIELD
        starter = await _starter(app, chosen) or await _starter(app, FIRST_FIELD)
        return render_page(
            request,
            "graphql_explorer.html",
            session=session,
            fields=fields,
            chosen=chosen,
            starter=starter,
            variables=codec.encode_json(starter.variables if starter else {}).decode(),
        )

    async def about(request: Request) -> Response:
        starter = await _starter(app, request.path_params["field"])
        if starter is None:
            return JSONResponse({"message": page_translator(request)("not_found")}, 404, NO_STORE)
        return Response(codec.encode_json(starter), headers=NO_STORE, media_type="application/json")

    return [
        Route("/api/docs/graphql", explorer, methods=["GET"]),
        Route("/api/docs/graphql/run", _run_in_session(interface), methods=["POST"]),
        Route("/api/docs/graphql/fields/{field}", about, methods=["GET"]),
    ]


def _fields(app: Application) -> list[dict[str, str]]:
    """Every field of Query and Mutation, by name."""
    rows = [
        {
            "name": interface.name,
            "kind": "query" if operation.effect is Effect.READ else "mutation",
            "summary": operation.summary,
        }
        for interface, operation in app.registry.bindings(GraphQL)
    ]
    return sorted(rows, key=lambda row: row["name"].lower())


async def _starter(app: Application, field: str) -> "StarterQuery | None":
    def make() -> "StarterQuery | None":
        from haulier.api.graphql.schema import build_schema
        from haulier.api.graphql.starter_query import starter_query

        return starter_query(build_schema(app.registry), field)

    # In a thread: the first use builds the schema, which takes a second.
    return await asyncio.to_thread(make)


def _graphql_app(app: Application) -> ASGIApp:
    from haulier.api.graphql.app import graphql_app

    return graphql_app(app)


def _run_in_session(interface: ASGIApp) -> Callable[[Request], Awaitable[Response]]:
    async def run(request: Request) -> Response:
        session, say = await current_session(request), page_translator(request)
        if session is None:
            return JSONResponse({"message": say("sign_in.again")}, 401, NO_STORE)
        if not session.is_genuine_form(request, {"csrf": request.headers.get("x-csrf")}):
            return JSONResponse({"message": say("sign_in.again")}, 403, NO_STORE)
        return InterfaceResponse(interface, session.token)

    return run


class InterfaceResponse(Response):
    """Response of an interface, called with the session's token instead of its cookie."""

    def __init__(self, interface: ASGIApp, token: str) -> None:
        super().__init__()
        self._interface, self._token = interface, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        kept = [(name, value) for name, value in scope["headers"] if name not in {b"authorization", b"cookie"}]
        headers = [*kept, (b"authorization", b"Bearer " + self._token.encode())]
        await self._interface({**scope, "headers": headers}, receive, send)
