"""The short way: the two requests that are nearly all of the traffic, answered without the SDK's machinery around each.

For every request the SDK makes a transport, streams and tasks, and it validates every list of tools anew: many times the
work of the call itself. A list or a call that is beyond doubt is answered here, with the same answer. Whether it is, and how
a list is written, the SDK's own rules say: the ladder of the newer version, the shape of the parameters, what a version knows
of a result. Whatever else comes (a handshake, a fault, another method, an unknown tool) goes the SDK's way. A test holds the
two ways to each other.
"""

from functools import lru_cache
from typing import Any, Literal

import mcp_types as types
import msgspec
from mcp.server.lowlevel import Server as SdkServer
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request, find_duplicated_routing_header
from mcp_types import DEFAULT_NEGOTIATED_VERSION, SERVER_INFO_META_KEY
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from msgspec import Struct
from pydantic import ValidationError
from starlette.types import Scope

from haulier.doors.mcp.request import McpRequest
from haulier.doors.mcp.tool_calls import call_tool
from haulier.doors.mcp.tool_list import LIST_METHOD, ToolList, serialized_tool_list
from haulier.kernel.operations import codec
from haulier.kernel.operations.errors import OperationError

VERSION_HEADER = b"mcp-protocol-version"
ACCEPTED_JSON_TYPES = {"application/json", "application/*", "*/*"}


class FastPathRequest(Struct):
    """A request that may go the short way."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: Literal["tools/call", "tools/list"]
    params: dict[str, Any] = {}


class FastPathResponse(Struct):
    """The answer to it, around a result that is written already."""

    jsonrpc: str
    id: int | str
    result: msgspec.Raw


_request_decoder = msgspec.json.Decoder(FastPathRequest)


class FastPath:
    """The short way into one server."""

    def __init__(self, tool_list: ToolList, sdk: SdkServer[Any]) -> None:
        self._tool_list = tool_list
        self._server_meta = {SERVER_INFO_META_KEY: sdk.server_info_stamp}
        self._cache_hint = sdk.cache_hints[LIST_METHOD]
        self._cached_list_suffix = lru_cache(maxsize=16)(self._list_suffix)

    async def answer(self, request: McpRequest, scope: Scope, body: bytes) -> bytes | None:
        """The body of the answer; None where the request has to go the SDK's way, and nothing has happened yet."""
        version = protocol_version_of(scope)
        asked = _parse_supported_request(scope, body, version)
        if asked is None:
            return None
        if asked.method == LIST_METHOD:
            result = await self._list(request, version)
        else:
            result = await self._call(request, version, asked.params)
        return None if result is None else codec.encode_json(FastPathResponse("2.0", asked.id, msgspec.Raw(result)))

    async def _list(self, request: McpRequest, version: str) -> bytes | None:
        try:
            names = await self._tool_list.names(request)
        except OperationError:
            return None
        tools = b",".join([self._tool_list.written(name, version) for name in names])
        return b'{"tools":[' + tools + b"]" + self._cached_list_suffix(version)

    async def _call(self, request: McpRequest, version: str, params: dict[str, Any]) -> bytes | None:
        operation = self._tool_list.operations.get(params["name"])
        if operation is None:
            return None
        result = await call_tool(request, operation, params.get("arguments"), params)
        return codec.encode_json(
            result.with_envelope(self._server_meta) if version in MODERN_PROTOCOL_VERSIONS else result
        )

    def _list_suffix(self, version: str) -> bytes:
        """What stands in a list beside the tools, and the end of it."""
        listed = types.ListToolsResult(tools=[], ttl_ms=self._cache_hint.ttl_ms, cache_scope=self._cache_hint.scope)
        found = serialized_tool_list(listed, version)
        del found["tools"]
        if version in MODERN_PROTOCOL_VERSIONS:
            found["_meta"] = self._server_meta
        return b"," + codec.encode_json(found)[1:] if found else b"}"


def protocol_version_of(scope: Scope) -> str:
    """The version of the protocol that a request speaks."""
    said = next((value.decode("latin-1") for name, value in scope["headers"] if name == VERSION_HEADER), None)
    return DEFAULT_NEGOTIATED_VERSION if said is None else said


def _parse_supported_request(scope: Scope, body: bytes, version: str) -> FastPathRequest | None:
    """The request, if the SDK would let it pass."""
    headers = dict(scope["headers"])
    if not _is_json(headers.get(b"content-type", b"")) or not _accepts_json(headers[b"accept"]):
        return None
    try:
        asked = _request_decoder.decode(body)
        if version in HANDSHAKE_PROTOCOL_VERSIONS or _has_valid_envelope(scope, asked):
            validate_client_request(asked.method, version, asked.params)
            return asked
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValidationError):
        pass
    return None


def _has_valid_envelope(scope: Scope, asked: FastPathRequest) -> bool:
    """Whether headers and envelope of the newer version are there and agree."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    message = {"method": asked.method, "params": asked.params}
    verdict = classify_inbound_request(message, headers=dict(pairs))
    return isinstance(verdict, InboundModernRoute) and find_duplicated_routing_header(pairs) is None


def _is_json(content_type: bytes) -> bool:
    return content_type.partition(b";")[0].strip() == b"application/json"


def _accepts_json(accept: bytes) -> bool:
    taken = accept.decode("latin-1").lower().split(",")
    return any(part.partition(";")[0].strip() in ACCEPTED_JSON_TYPES for part in taken)
