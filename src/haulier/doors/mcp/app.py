"""One MCP server: lists the tools a caller may call, and runs them through the pipeline. Stateless streamable HTTP."""

from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from haulier import __version__
from haulier.doors.headers import Headers
from haulier.doors.mcp.results import refused, result_of
from haulier.doors.mcp.tools import bindings, tool_of
from haulier.kernel import codec
from haulier.kernel.declarations import Server
from haulier.kernel.errors import METHOD_NOT_ALLOWED, UNKNOWN_OPERATION, Refusal, problem
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.operation import Operation
from haulier.kernel.pipeline import Knock, handle, identify
from haulier.kernel.principal import NOBODY, Principal
from haulier.kernel.registry import Registry
from haulier.kernel.rendering import error_body
from haulier.kernel.steps.authorise import refusal as why_not

API_TOKEN_EXPIRED = problem("api_token_expired", 401)
API_TOKEN_ENDS = datetime(2027, 1, 1, tzinfo=UTC)
"""The per-tool `api_token` argument is unusable after 2026-12-31."""
LISTS_KEPT = 256
"""Lists of tools kept ready. There are a few sets of rights, but a connection may narrow itself to any other."""
INSTRUCTIONS = (
    "Haulier runs a delivery business: orders, contractors, routes, tracking. Tools that write say so; send the header "
    "X-MCP-Dry-Run: 1 to see what a write would do. High-risk tools need confirm=true."
)
_HEADERS = "haulier.headers"


@lru_cache(maxsize=8)
def _tools(registry: Registry, server: Server) -> dict[str, types.Tool]:
    """The tools of a server by name, as they are listed; made once."""
    return {
        tool.name: types.Tool.model_validate(tool_of(tool, operation, server))
        for tool, operation in bindings(registry, server)
    }


class McpDoor:
    """One server of tools, as an ASGI application. It answers only while `running()` is open."""

    def __init__(self, house: House, server: Server) -> None:
        self.house = house
        self.server = server
        self.tools = {tool.name: operation for tool, operation in bindings(house.registry, server)}
        self._shown = _tools(house.registry, server)
        self._lists: dict[Hashable, types.ListToolsResult] = {}

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """The time in which the server answers."""
        sdk = SdkServer[Any](
            f"haulier-{self.server.value}",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._manager = StreamableHTTPSessionManager(app=sdk, json_response=True, stateless=True)
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one HTTP request to the SDK; the answer names the request and its language as at the other doors.

        Nothing is ever sent unasked, so a GET, which would wait for that, is refused instead of kept open for nothing.
        """
        headers = Headers.of(scope)

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = MutableHeaders(scope=message)
                said["x-request-id"] = headers.request_id
                said["content-language"] = negotiate(headers.accept_language)
            await send(message)

        if scope["method"] != "POST":
            body = self._body(METHOD_NOT_ALLOWED(allowed="POST"), headers)
            await JSONResponse(body, 405, {"allow": "POST"})(scope, receive, named)
            return
        given = scope["headers"]
        if not any(name == b"accept" for name, _ in given):
            given = [*given, (b"accept", b"*/*")]  # who names no type takes any; the SDK wants it said
        await self._manager.handle_request({**scope, "headers": given, _HEADERS: headers}, receive, named)

    async def _list(self, context: Any, _: Any) -> types.ListToolsResult:
        headers: Headers = context.request.scope[_HEADERS]
        caller = await self._caller(headers)
        business = caller.business
        rights = caller.account, caller.scopes, business and (business.modules, business.features)
        key = (*rights, self.house.modules_missing)
        if key not in self._lists:
            if len(self._lists) >= LISTS_KEPT:
                self._lists.clear()
            may = [name for name, one in self.tools.items() if not why_not(one, caller, self.house.modules_missing)]
            self._lists[key] = types.ListToolsResult(tools=[self._shown[name] for name in sorted(may)])
        return self._lists[key]

    async def _caller(self, headers: Headers) -> Principal:
        """Who lists. A token that is no longer good sees what the public sees; calling with it says why."""
        if not self.tools:
            return NOBODY
        try:
            knock = headers.knock(next(iter(self.tools.values())), "mcp")
        except Refusal as refusal:
            raise self._fault(refusal, headers) from None
        try:
            return await identify(self.house, knock)
        except Refusal:
            return NOBODY

    async def _call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        headers: Headers = context.request.scope[_HEADERS]
        operation = self.tools.get(params.name)
        if operation is None:
            raise self._fault(UNKNOWN_OPERATION(name=params.name[:100]), headers)
        arguments = dict(params.arguments or {})
        warning = None
        try:
            token = self._token_among(arguments)
            if token is not None:
                warning = self.house.catalogues.say(negotiate(headers.accept_language), "api_token_deprecated")
            beside: dict[str, Any] = context.params or {}
            knock = _knock(headers, operation, arguments, beside, token)
        except Refusal as refusal:
            return refused(self._body(refusal, headers), warning)
        return result_of(await handle(self.house, knock), warning)

    def _token_among(self, arguments: dict[str, Any]) -> str | None:
        """Take the deprecated `api_token` out of the arguments. Raises `API_TOKEN_EXPIRED` after its last day."""
        if self.server is not Server.DEVELOPER or not isinstance(arguments.get("api_token"), str):
            return None
        if self.house.clock() >= API_TOKEN_ENDS:
            raise API_TOKEN_EXPIRED()
        return arguments.pop("api_token")

    def _body(self, refusal: Refusal, headers: Headers) -> dict[str, Any]:
        return error_body(refusal, self.house.catalogues, negotiate(headers.accept_language), headers.request_id)

    def _fault(self, refusal: Refusal, headers: Headers) -> MCPError:
        """A fault of the protocol rather than of a call: nothing ran, so there is no result to carry it."""
        body = self._body(refusal, headers)
        return MCPError(code=types.INVALID_PARAMS, message=body["message"], data=body)


def _knock(
    headers: Headers,
    operation: Operation[Any, Any],
    arguments: dict[str, Any],
    beside: dict[str, Any],
    token: str | None,
) -> Knock:
    """The call as the pipeline takes it. `confirm` stands among the arguments or beside them; only `true` confirms."""
    confirmed = False
    if operation.confirm:
        confirmed = arguments.pop("confirm", False) is True or beside.get("confirm") is True
    words = {"token": token} if token and headers.token is None else {}
    return headers.knock(operation, "mcp", body=codec.encode(arguments), confirmed=confirmed, **words)
