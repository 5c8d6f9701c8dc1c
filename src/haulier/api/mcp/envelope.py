"""Errors for invalid JSON-RPC messages and unsupported protocol versions.

Checked before the SDK, whose messages describe its internal types.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from mcp_types import INVALID_REQUEST as JSON_RPC_INVALID_REQUEST
from mcp_types import PARSE_ERROR, PROTOCOL_VERSION_META_KEY, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import MODERN_PROTOCOL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse

from haulier.api.mcp.request import McpRequest
from haulier.kernel.operations.errors import (
    INVALID_REQUEST,
    MALFORMED_JSON,
    UNSUPPORTED_MEDIA_TYPE,
    FieldError,
    OperationError,
    declare_error,
)

MCP_VERSION_UNSUPPORTED = declare_error("mcp_version_unsupported", 400)
JSON_RPC_VERSION = "2.0"
_BAD_REQUEST = 400
_ANSWER_MEMBERS = {"result", "error"}


def reject_malformed_message(request: McpRequest, body: bytes) -> JSONResponse | None:
    """Return the error for a body that is not valid JSON-RPC 2.0, or None."""
    if request.headers.content_type != "application/json":
        return _refusal(request, UNSUPPORTED_MEDIA_TYPE(), JSON_RPC_INVALID_REQUEST, None)
    try:
        message = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _refusal(request, MALFORMED_JSON(), PARSE_ERROR, None)
    faults = tuple(_faults(message)) if isinstance(message, dict) else (FieldError("", "field.model_type"),)
    if not faults:
        return None
    id = message.get("id") if isinstance(message, dict) else None
    return _refusal(request, INVALID_REQUEST.for_fields(*faults), JSON_RPC_INVALID_REQUEST, id if _is_id(id) else None)


def reject_unsupported_version(request: McpRequest, body: bytes, version: str) -> JSONResponse | None:
    """Return the error for an unsupported protocol version, with the supported ones.

    A message that names its own version gets the versions without a handshake, as in `server/discover`.
    """
    if version in SUPPORTED_PROTOCOL_VERSIONS:
        return None
    message = msgspec.json.decode(body)
    names_version = PROTOCOL_VERSION_META_KEY in (message.get("params", {}).get("_meta") or ())
    supported = list(MODERN_PROTOCOL_VERSIONS if names_version else SUPPORTED_PROTOCOL_VERSIONS)
    error = MCP_VERSION_UNSUPPORTED(requested=version, supported=", ".join(supported))
    id = message.get("id")
    return _refusal(request, error, UNSUPPORTED_PROTOCOL_VERSION, id, requested=version, supported=supported)


def _faults(message: dict[str, Any]) -> Iterator[FieldError]:
    if "jsonrpc" not in message:
        yield FieldError("jsonrpc", "field.missing")
    elif message["jsonrpc"] != JSON_RPC_VERSION:
        yield FieldError("jsonrpc", "field.literal_error", {"expected": f'"{JSON_RPC_VERSION}"'})
    if "method" not in message and not _ANSWER_MEMBERS & message.keys():
        yield FieldError("method", "field.missing")
    elif not isinstance(message.get("method", ""), str):
        yield FieldError("method", "field.string_type")
    if "params" in message and not isinstance(message["params"], dict):
        yield FieldError("params", "field.model_type")
    if "id" in message and not _is_id(message["id"]):
        yield FieldError("id", "field.json_rpc_id")


def _is_id(id: Any) -> bool:
    return isinstance(id, str | int) and not isinstance(id, bool)


def _refusal(request: McpRequest, error: OperationError, code: int, id: Any, **facts: Any) -> JSONResponse:
    body = request.body(error) | facts
    named = (f"{fault['field']}: {fault['message']}".removeprefix(": ") for fault in body.get("errors", ()))
    told = {"code": code, "message": " ".join([body["message"], *named]), "data": body}
    # 422 is for the content of a call. An invalid message gets 400, as from the SDK.
    status = _BAD_REQUEST if error.error_type is INVALID_REQUEST else error.error_type.status
    return JSONResponse({"jsonrpc": JSON_RPC_VERSION, "id": id, "error": told}, status)
