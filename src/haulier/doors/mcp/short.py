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

from haulier.doors.mcp.calling import call
from haulier.doors.mcp.showing import METHOD, Shop, as_written
from haulier.doors.mcp.visit import Visit
from haulier.kernel import codec
from haulier.kernel.errors import Refusal

VERSION = b"mcp-protocol-version"
JSON_TYPES = {"application/json", "application/*", "*/*"}


class Asked(Struct):
    """A request that may go the short way."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: Literal["tools/call", "tools/list"]
    params: dict[str, Any] = {}


class Answered(Struct):
    """The answer to it, around a result that is written already."""

    jsonrpc: str
    id: int | str
    result: msgspec.Raw


_asked = msgspec.json.Decoder(Asked)


class ShortWay:
    """The short way into one server."""

    def __init__(self, shop: Shop, sdk: SdkServer[Any]) -> None:
        self._shop = shop
        self._stamp = {SERVER_INFO_META_KEY: sdk.server_info_stamp}
        self._hint = sdk.cache_hints[METHOD]
        self._beside_a_list = lru_cache(maxsize=16)(self._beside)

    async def answer(self, visit: Visit, scope: Scope, body: bytes) -> bytes | None:
        """The body of the answer; None where the request has to go the SDK's way, and nothing has happened yet."""
        version = version_of(scope)
        asked = _beyond_doubt(scope, body, version)
        if asked is None:
            return None
        if asked.method == METHOD:
            result = await self._list(visit, version)
        else:
            result = await self._call(visit, version, asked.params)
        return None if result is None else codec.encode(Answered("2.0", asked.id, msgspec.Raw(result)))

    async def _list(self, visit: Visit, version: str) -> bytes | None:
        try:
            names = await self._shop.names(visit)
        except Refusal:
            return None
        tools = b",".join([self._shop.written(name, version) for name in names])
        return b'{"tools":[' + tools + b"]" + self._beside_a_list(version)

    async def _call(self, visit: Visit, version: str, params: dict[str, Any]) -> bytes | None:
        operation = self._shop.operations.get(params["name"])
        if operation is None:
            return None
        result = await call(visit, operation, params.get("arguments"), params)
        return codec.encode(result.in_envelope(self._stamp) if version in MODERN_PROTOCOL_VERSIONS else result)

    def _beside(self, version: str) -> bytes:
        """What stands in a list beside the tools, and the end of it."""
        listed = types.ListToolsResult(tools=[], ttl_ms=self._hint.ttl_ms, cache_scope=self._hint.scope)
        found = as_written(listed, version)
        del found["tools"]
        if version in MODERN_PROTOCOL_VERSIONS:
            found["_meta"] = self._stamp
        return b"," + codec.encode(found)[1:] if found else b"}"


def version_of(scope: Scope) -> str:
    """The version of the protocol that a request speaks."""
    said = next((value.decode("latin-1") for name, value in scope["headers"] if name == VERSION), None)
    return DEFAULT_NEGOTIATED_VERSION if said is None else said


def _beyond_doubt(scope: Scope, body: bytes, version: str) -> Asked | None:
    """The request, if the SDK would let it pass."""
    headers = dict(scope["headers"])
    if not _json(headers.get(b"content-type", b"")) or not _takes_json(headers[b"accept"]):
        return None
    try:
        asked = _asked.decode(body)
        if version in HANDSHAKE_PROTOCOL_VERSIONS or _enveloped(scope, asked):
            validate_client_request(asked.method, version, asked.params)
            return asked
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValidationError):
        pass
    return None


def _enveloped(scope: Scope, asked: Asked) -> bool:
    """Whether headers and envelope of the newer version are there and agree."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    message = {"method": asked.method, "params": asked.params}
    verdict = classify_inbound_request(message, headers=dict(pairs))
    return isinstance(verdict, InboundModernRoute) and find_duplicated_routing_header(pairs) is None


def _json(content_type: bytes) -> bool:
    return content_type.partition(b";")[0].strip() == b"application/json"


def _takes_json(accept: bytes) -> bool:
    taken = accept.decode("latin-1").lower().split(",")
    return any(part.partition(";")[0].strip() in JSON_TYPES for part in taken)
