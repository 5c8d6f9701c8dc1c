"""Operations behind resources, completions and tasks: called as the caller, through the whole pipeline."""

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
"""Where the ASGI scope of a message holds its `McpRequest`."""


def request_of(context: Any) -> McpRequest:
    """The HTTP request of a message that the SDK handed over."""
    return context.request.scope[REQUEST_SCOPE_KEY]


def find_operation(request: McpRequest, name: str) -> Operation[Any, Any]:
    """An operation that `server_features.toml` names. Raises `KeyError` for one that there is not."""
    operation = request.app.registry.get(name)
    if operation is None:
        raise KeyError(name)
    return operation


def may_call(request: McpRequest, caller: Principal, name: str) -> bool:
    """Whether a caller may call an operation at all."""
    return check_access(find_operation(request, name), caller, request.app.modules_missing) is None


async def call_operation(
    request: McpRequest,
    name: str,
    *,
    texts: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
) -> OperationResult:
    """Call an operation with the rights, language and options of the HTTP request; a refusal is a result, too.

    `texts` are fields as they stand in an address, `body` fields as they stand in JSON. A caller who is not known gets the
    challenge of a tool.
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
    """The error body of an operation as an error of the protocol, for requests whose result cannot carry one."""
    return MCPError(code=code, message=error["message"], data={**error, **beside})


def member_at(document: Any, path: str) -> Any:
    """What stands at a dotted path in an answer; None where nothing does."""
    for name in path.split("."):
        document = document.get(name) if isinstance(document, Mapping) else getattr(document, name, None)
    return document
