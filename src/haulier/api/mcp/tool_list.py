"""Tool lists by caller, cached for each set of rights."""

# The SDK validates and encodes each list again, 13 ms for 30 tools (docs/decisions/agents.md).

from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import mcp_types as types
from mcp_types.methods import serialize_server_result

from haulier.api.mcp.auth_challenge import is_unauthenticated
from haulier.api.mcp.listed_arguments import deduplicate_schemas, listed_arguments, shapes_of
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.tools import tool_bindings, tool_definition
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, McpServer
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.registry import Registry
from haulier.kernel.pipeline.authorise import check_access
from haulier.kernel.pipeline.run import authenticate
from haulier.kernel.principal import ANONYMOUS, Principal

MAX_CACHED_LISTS = 256
"""Maximum number of cached lists. There are few sets of rights, but a connection can limit itself to any subset."""
LIST_METHOD = "tools/list"


class ToolList:
    """The tools of one server, sorted by name."""

    def __init__(self, registry: Registry, server: McpServer) -> None:
        bindings = sorted(tool_bindings(registry, server), key=lambda binding: binding[0].name)
        self.operations: dict[str, Operation[Any, Any]] = {tool.name: operation for tool, operation in bindings}
        self.tools = {
            tool.name: types.Tool.model_validate(tool_definition(tool, operation, server))
            for tool, operation in bindings
        }
        self._arguments = lru_cache(maxsize=None)(self._listed_arguments)
        self._shapes = lru_cache(maxsize=None)(lambda name: shapes_of(self._arguments(name)))
        self.written = lru_cache(maxsize=None)(self._serialized_tool)
        self._names: dict[Hashable, list[str]] = {}

    def schema(self, name: str) -> dict[str, Any] | None:
        """Return the input schema of a tool; None for an unknown name."""
        tool = self.tools.get(name)
        return tool.input_schema if tool else None

    def listed(self, names: Iterable[str]) -> Iterator["ListedTool"]:
        """Yield tools of a list, noting the shapes that an earlier tool describes."""
        tellers: dict[str, str] = {}
        for name in names:
            shapes = self._shapes(name)
            yield ListedTool(name, tuple(sorted((shape, tellers[shape]) for shape in shapes & tellers.keys())))
            for shape in shapes:
                tellers.setdefault(shape, name)

    def tool(self, listed: "ListedTool") -> types.Tool:
        """Return a tool with its arguments as in a list."""
        arguments = deduplicate_schemas(self._arguments(listed.name), dict(listed.told))
        return self.tools[listed.name].model_copy(update={"input_schema": arguments})

    async def names(self, request: McpRequest) -> list[str]:
        """Return the names of the caller's tools.

        Raises `OperationError` for invalid headers.
        """
        caller, missing = await self.caller(request), request.app.modules_missing
        business = caller.business
        key = (caller.account, caller.scopes, business and (business.modules, business.features), missing)
        if key not in self._names:
            if len(self._names) >= MAX_CACHED_LISTS:
                self._names.clear()
            self._names[key] = [
                name for name, operation in self.operations.items() if not check_access(operation, caller, missing)
            ]
        return self._names[key]

    async def caller(self, request: McpRequest) -> Principal:
        """Return the caller.

        Raises `OperationError` for invalid headers, and with a challenge for an invalid token.
        """
        if not self.operations:
            return ANONYMOUS
        read = next(operation for operation in self.operations.values() if operation.effect is Effect.READ)
        operation_request = request.headers.operation_request(read, "mcp", server=request.server)
        try:
            return await authenticate(request.app, operation_request)
        except OperationError as error:
            if is_unauthenticated(error.error_type.code):
                request.challenge.require_token()
            raise

    def _listed_arguments(self, name: str) -> dict[str, Any]:
        return listed_arguments(self.tools[name].input_schema)

    def _serialized_tool(self, listed: "ListedTool", version: str) -> bytes:
        """Return a tool encoded for a protocol version."""
        return codec.encode_json(
            serialized_tool_list(types.ListToolsResult(tools=[self.tool(listed)]), version)["tools"][0]
        )


class ListedTool(NamedTuple):
    """A tool in a list, with its shapes that an earlier tool describes."""

    name: str
    told: tuple[tuple[str, str], ...]


def serialized_tool_list(listed: types.ListToolsResult, version: str) -> dict[str, Any]:
    """Serialize a tool list for a protocol version."""
    return serialize_server_result(
        LIST_METHOD, version, listed.model_dump(by_alias=True, mode="json", exclude_none=True)
    )


tool_list = lru_cache(maxsize=8)(ToolList)
"""The tools of a server; cached."""
