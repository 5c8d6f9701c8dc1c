"""One MCP server: lists the tools a caller may call, and runs them through the pipeline. Stateless streamable HTTP."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server as SdkServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from haulier import __version__
from haulier.doors.headers import Headers
from haulier.doors.mcp.tools import bindings, tool_of
from haulier.kernel import codec
from haulier.kernel.declarations import Server
from haulier.kernel.errors import Refusal, problem
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.operation import Operation
from haulier.kernel.pipeline import Knock, Outcome, handle, identify
from haulier.kernel.principal import NOBODY, Principal
from haulier.kernel.rendering import error_body
from haulier.kernel.steps.authorise import refusal as why_not

API_TOKEN_EXPIRED = problem("api_token_expired", 401)
API_TOKEN_ENDS = datetime(2027, 1, 1, tzinfo=UTC)
"""The per-tool `api_token` argument is unusable after 2026-12-31."""
INSTRUCTIONS = (
    "Haulier runs a delivery business: orders, contractors, routes, tracking. Tools that write say so; send the header "
    "X-MCP-Dry-Run: 1 to see what a write would do. High-risk tools need confirm=true."
)


class McpDoor:
    """One server of tools, as an ASGI application. It answers only while `running()` is open."""

    def __init__(self, house: House, server: Server) -> None:
        self.house = house
        self.server = server
        self.tools = {tool.name: (tool, operation) for tool, operation in bindings(house.registry, server)}
        self._shown = {
            name: types.Tool.model_validate(tool_of(tool, operation, server))
            for name, (tool, operation) in self.tools.items()
        }
        self._lists: dict[object, types.ListToolsResult] = {}

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
        """Pass one HTTP request to the SDK."""
        await self._manager.handle_request(scope, receive, send)

    async def _list(self, context: Any, _: Any) -> types.ListToolsResult:
        headers = Headers.of(context.request.scope)
        caller = await self._caller(headers)
        rights = (
            caller.account,
            caller.scopes,
            caller.business and (caller.business.modules, caller.business.features),
        )
        if rights not in self._lists:
            missing = self.house.modules_missing
            may = [name for name, (_, operation) in self.tools.items() if not why_not(operation, caller, missing)]
            self._lists[rights] = types.ListToolsResult(tools=[self._shown[name] for name in sorted(may)])
        return self._lists[rights]

    async def _caller(self, headers: Headers) -> Principal:
        """Who lists. A token that is no longer good sees what the public sees; calling with it says why."""
        some = next(iter(self.tools.values()), None)
        if some is None:
            return NOBODY
        try:
            return await identify(self.house, headers.knock(some[1], "mcp"))
        except Refusal:
            return NOBODY

    async def _call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in self.tools:
            raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool {params.name!r}")
        operation = self.tools[params.name][1]
        headers = Headers.of(context.request.scope)
        arguments = dict(params.arguments or {})
        try:
            knock = self._knock(headers, operation, arguments, params)
        except Refusal as refusal:
            language = negotiate(headers.accept_language)
            return _refused(error_body(refusal, self.house.catalogues, language, headers.request_id))
        return _result(await handle(self.house, knock))

    def _knock(
        self,
        headers: Headers,
        operation: Operation[Any, Any],
        arguments: dict[str, Any],
        params: types.CallToolRequestParams,
    ) -> Knock:
        confirmed = operation.confirm and (arguments.pop("confirm", None) or (params.model_extra or {}).get("confirm"))
        words: dict[str, Any] = {}
        if self.server is Server.DEVELOPER and "api_token" in arguments:
            token = arguments.pop("api_token")
            if self.house.clock() >= API_TOKEN_ENDS:
                raise API_TOKEN_EXPIRED()
            words = {} if headers.token else {"token": str(token)}
        return headers.knock(operation, "mcp", body=codec.encode(arguments), confirmed=confirmed is True, **words)


def _result(outcome: Outcome) -> types.CallToolResult:
    if outcome.error is not None:
        return _refused(outcome.error)
    plain = codec.plain(outcome.answer)
    if outcome.letters is not None:
        plain = {"result": True, "dry_run": True, "preview": plain, "letters": codec.plain(outcome.letters)}
    return types.CallToolResult(content=[_text(plain)], structured_content=plain)


def _refused(error: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(error)], structured_content=error, is_error=True)


def _text(value: Any) -> types.TextContent:
    return types.TextContent(type="text", text=json.dumps(value, ensure_ascii=False))
