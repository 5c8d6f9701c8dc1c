"""One MCP server: lists the tools a caller may call, and runs them through the pipeline. Stateless streamable HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from haulier import __version__
from haulier.doors.mcp.batch import answer_each, messages_of
from haulier.doors.mcp.calling import call
from haulier.doors.mcp.challenge import profile_of
from haulier.doors.mcp.origins import for_pages, welcome, with_a_token
from haulier.doors.mcp.short import ShortWay, version_of
from haulier.doors.mcp.showing import METHOD, shop
from haulier.doors.mcp.visit import Visit
from haulier.kernel.declarations import Server
from haulier.kernel.errors import METHOD_NOT_ALLOWED, UNAUTHENTICATED, UNKNOWN_OPERATION, Refusal, problem
from haulier.kernel.house import House
from haulier.kernel.principal import NOBODY
from haulier.kernel.profiles import PROFILES

ORIGIN_NOT_WELCOME = problem("origin_not_welcome", 403)
LIST_FRESH_MS = 300_000
"""How long a client of the newer version may keep the list of tools without asking again, in milliseconds."""
INSTRUCTIONS = (
    "Haulier runs a delivery business: orders, contractors, routes, tracking. get_capabilities tells what you may do here and "
    "why not more. Tools that write say so; those of high risk need confirm=true, once the person you work for agreed.\n\n"
    "With the header X-MCP-Dry-Run: 1 a write only shows what it would do: dry_run is true, preview is the answer it would "
    "give, letters is what would be sent or done later, changes (for people at a desk; at most 200) are the records before "
    "and after. With X-MCP-Require-Approval: 1, or through propose_write, a write waits for a human: queued is true, and "
    "approval is what waits. message says what happened, in the language of Accept-Language.\n\n"
    "A refusal has code, message and errors: mend what errors names and call again. Ids are numbers; times are ISO 8601 with "
    "an offset; money is in minor units."
)
_VISIT = "haulier.visit"


class McpDoor:
    """One server of tools, as an ASGI application. It answers only while `running()` is open."""

    def __init__(self, house: House, server: Server) -> None:
        self.house = house
        self.server = server
        self.shop = shop(house.registry, server)
        self._for_pages = for_pages(self._answer)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """The time in which the server answers."""
        sdk = SdkServer[Any](
            f"haulier-{self.server.value}",
            version=__version__,
            instructions=INSTRUCTIONS,
            cache_hints={METHOD: CacheHint(LIST_FRESH_MS, "private")},
            get_tool_input_schema=self.shop.schema,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._short = ShortWay(self.shop, sdk)
        self._manager = StreamableHTTPSessionManager(app=sdk, json_response=True, stateless=True)
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; a browser's page also learns whether it may read the answer."""
        origin = _origin(scope)
        readable = origin is not None and (welcome(origin, self.house.base_url) or with_a_token(origin))
        await (self._for_pages if readable else self._answer)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it; the answer names the request and its language as at the other doors."""
        profile = profile_of(scope["query_string"])
        visit = Visit.of(self.house, self.server, scope := _as_meant(scope, profile))

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = MutableHeaders(scope=message)
                said["x-request-id"] = visit.headers.request_id
                said["content-language"] = visit.language
                if visit.challenge.status:
                    message["status"] = visit.challenge.status
                    said["www-authenticate"] = visit.challenge.header
            await send(message)

        if refused := await self._refused(visit, scope, profile):
            await refused(scope, receive, named)
            return
        first = await receive()
        whole = first["type"] == "http.request" and not first.get("more_body")
        scope = {**scope, _VISIT: visit}
        if whole and (messages := messages_of(first.get("body", b""), version_of(scope))):
            await (await answer_each(messages, scope, receive, self._one))(scope, receive, named)
        elif whole:
            await self._one(scope, _again(first, receive), named)
        else:
            await self._manager.handle_request(scope, _again(first, receive), named)

    async def _one(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message whose body is there whole, the short way if that will do."""
        first = await receive()
        written = await self._short.answer(scope[_VISIT], scope, first.get("body", b""))
        if written is None:
            await self._manager.handle_request(scope, _again(first, receive), send)
        else:
            await Response(written, media_type="application/json")(scope, receive, send)

    async def _refused(self, visit: Visit, scope: Scope, profile: str | None) -> Response | None:
        """What is refused before it is read.

        Nothing is ever sent unasked, so a GET, which would wait for that, is refused instead of kept open for nothing.
        A link that names a profile is for somebody: without a token it is answered with the way to one.
        """
        origin = _origin(scope)
        if origin is not None and not welcome(origin, self.house.base_url):
            if not (with_a_token(origin) and visit.challenge.agents):
                visit.challenge.show_the_way()
                return JSONResponse(visit.body(ORIGIN_NOT_WELCOME(origin=origin[:200])), 403)
            if (refusal := await self._unknown(visit)) is not None:
                return JSONResponse(visit.body(refusal), refusal.problem.status)
        if scope["method"] != "POST":
            return JSONResponse(visit.body(METHOD_NOT_ALLOWED(allowed="POST")), 405, {"allow": "POST"})
        if profile and profile in PROFILES and visit.headers.token is None:
            visit.challenge.demand_profile(PROFILES[profile])
            return JSONResponse(visit.body(UNAUTHENTICATED()), 401)
        return None

    async def _unknown(self, visit: Visit) -> Refusal | None:
        """Why the token of a page is not taken; None where it is."""
        try:
            return UNAUTHENTICATED() if await self.shop.caller(visit) is NOBODY else None
        except Refusal as refusal:
            return refusal

    async def _list(self, context: Any, _: Any) -> types.ListToolsResult:
        visit: Visit = context.request.scope[_VISIT]
        try:
            names = await self.shop.names(visit)
        except Refusal as refusal:
            raise visit.fault(refusal) from None
        return types.ListToolsResult(tools=[self.shop.tools[name] for name in names])

    async def _call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        visit: Visit = context.request.scope[_VISIT]
        operation = self.shop.operations.get(params.name)
        if operation is None:
            raise visit.fault(UNKNOWN_OPERATION(name=params.name[:100]))
        return (await call(visit, operation, params.arguments, context.params or {})).for_the_sdk()


def _origin(scope: Scope) -> str | None:
    """Where the page came from that sent a request; None for a program."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"), None)


def _as_meant(scope: Scope, profile: str | None) -> Scope:
    """The request with what it leaves unsaid: who names no type takes any, and a link may name the profile.

    White space around a header's value means nothing (RFC 9110, section 5.5), but not every server takes it away.
    """
    given = [(name, value.strip()) for name, value in scope["headers"]]
    said = {name for name, _ in given}
    if b"accept" not in said:
        given.append((b"accept", b"*/*"))
    if profile and b"x-mcp-profile" not in said:
        given.append((b"x-mcp-profile", profile.encode("latin-1", "replace")))
    return {**scope, "headers": given}


def _again(first: Message, receive: Receive) -> Receive:
    """Receive once more what was received already, and then what follows."""
    waiting = [first]

    async def next_one() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_one
