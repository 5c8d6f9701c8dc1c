"""Tool calls through the pipeline, for the fast path and the SDK."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from haulier.api.mcp.auth_challenge import is_unauthenticated
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.results import ToolResult, tool_error, tool_result
from haulier.api.mcp.tools import untrusted_paths_of
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.errors import SCOPE_MISSING, OperationError, declare_error
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import authenticate, handle_request

API_TOKEN_EXPIRED = declare_error("api_token_expired", 401)
API_TOKEN_ENDS_AT = datetime(2027, 1, 1, tzinfo=UTC)
"""The per-tool `api_token` argument is unusable after 2026-12-31."""
ToolOperation = Operation[Any, Any]


async def call_tool(
    request: McpRequest,
    operation: ToolOperation,
    raw_arguments: Mapping[str, Any] | None,
    params: Mapping[str, Any],
    *,
    once: str | None = None,
) -> ToolResult:
    """Call a tool; errors are returned as results.

    `params` are all parameters of the request. `once` is the idempotency key for a write without one.
    """
    arguments, warning = dict(raw_arguments or {}), None
    try:
        token = _pop_api_token(arguments, request)
        if token is not None:
            warning = request.app.catalogues.translate(request.language, "api_token_deprecated")
        operation_request = _operation_request(request, operation, arguments, params, token)
        if once and operation.replayable and operation_request.idempotency_key is None:
            operation_request.idempotency_key = once
    except OperationError as error:
        return tool_error(request.body(error), warning)
    result = await handle_request(request.app, operation_request)
    if result.error:
        await challenge_caller(request, operation_request, result.error)
    return tool_result(result, untrusted_paths_of(operation), warning, full_detail=request.headers.full_detail)


def _pop_api_token(arguments: dict[str, Any], request: McpRequest) -> str | None:
    """Remove the deprecated `api_token` from the arguments and return it.

    Raises `API_TOKEN_EXPIRED` after its last day.
    """
    if request.server is not McpServer.DEVELOPER or not isinstance(arguments.get("api_token"), str):
        return None
    if request.app.clock() >= API_TOKEN_ENDS_AT:
        raise API_TOKEN_EXPIRED()
    return arguments.pop("api_token")


def _operation_request(
    request: McpRequest,
    operation: ToolOperation,
    arguments: dict[str, Any],
    params: Mapping[str, Any],
    token: str | None,
) -> OperationRequest:
    """Return the request for the pipeline.

    `confirm` can be an argument or a parameter of the request. Only `true` confirms.
    """
    confirmed = False
    if operation.confirm:
        confirmed = arguments.pop("confirm", False) is True or params.get("confirm") is True
    options: dict[str, Any] = {"token": token} if token and request.headers.token is None else {}
    options |= {"server": request.server, "confirmed": confirmed}
    return request.headers.operation_request(operation, "mcp", body=codec.encode_json(arguments), **options)


async def challenge_caller(request: McpRequest, operation_request: OperationRequest, error: Mapping[str, Any]) -> None:
    """Set the status and authentication challenge for an error that requires them."""
    if is_unauthenticated(error["code"]):
        request.challenge.require_token(operation_request.operation.scopes)
    elif error["code"] == SCOPE_MISSING.code and request.challenge.is_connected_agent:
        has = (await authenticate(request.app, operation_request)).scopes
        request.challenge.require_more_scopes(has | operation_request.operation.scopes)
