"""Operations behind resources, completions and tasks, called as the caller."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.tool_calls import challenge_caller
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.pipeline.authorise import check_access
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.principal import Principal

REQUEST_SCOPE_KEY = "haulier.visit"
"""Key of the `McpRequest` in the ASGI scope."""


def request_of(context: Any) -> McpRequest:
    """Return the HTTP request of an SDK message."""
    return context.request.scope[REQUEST_SCOPE_KEY]


def find_operation(request: McpRequest, name: str) -> Operation[Any, Any]:
    """Return an operation named in `server_features.toml`. Raises `KeyError`."""
    operation = request.app.registry.get(name)
    if operation is None:
        raise KeyError(name)
    return operation


def may_call(request: McpRequest, caller: Principal, name: str) -> bool:
    """Return True if the caller has access to the operation."""
    return check_access(find_operation(request, name), caller, request.app.modules_missing) is None


async def call_operation(
    request: McpRequest,
    name: str,
    *,
    texts: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
) -> OperationResult:
    """Call an operation with the rights, language and options of the HTTP request.

    `texts` are string fields as in an address, `body` fields as in JSON. Errors are returned as results. An
    unauthenticated caller gets the same challenge as for a tool.
    """
    operation_request = request.headers.operation_request(
        find_operation(request, name),
        "mcp",
        server=request.server,
        texts=dict(texts or {}),
        body=codec.encode_json(dict(body)) if body else b"",
    )
    result = await handle_request(request.app, operation_request)
    if result.error:
        await challenge_caller(request, operation_request, result.error)
    return result


def refusal(error: Mapping[str, Any], code: int = types.INVALID_PARAMS, **beside: Any) -> MCPError:
    """Return an error body as a protocol error.

    For requests whose result can't contain one.
    """
    return MCPError(code=code, message=error["message"], data={**error, **beside})


def member_at(document: Any, path: str) -> Any:
    """Return the value at a dotted path of an answer, or None."""
    for name in path.split("."):
        document = document.get(name) if isinstance(document, Mapping) else getattr(document, name, None)
    return document
