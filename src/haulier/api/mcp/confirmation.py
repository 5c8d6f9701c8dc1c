"""User confirmation of high-risk tools.

A call without `confirm` from a client that can show a form is answered with a question (`input_required`). The client
repeats the call with the user's response.

The SDK seals the state of the question, which is valid for the same tool, arguments and token for ten minutes. It
contains an idempotency key, so that the confirmed call is carried out once.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.request_state import InvalidRequestState, RequestStateBoundary, RequestStateCodec, RequestStateSecurity

from haulier.api.mcp.client_capabilities import supports_elicitation
from haulier.api.mcp.feature_calls import request_of
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.results import ToolResult, tool_error
from haulier.api.mcp.tool_calls import call_tool
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.errors import CONFIRM_REQUIRED, declare_error
from haulier.kernel.operations.hidden_characters import remove_hidden_from_utf8
from haulier.kernel.secrets import SecretUnreadable, SecretVault

CONFIRM_DECLINED = declare_error("confirm_declined", 409)
CONFIRM = "confirm"
"""Name of the argument and of its question."""
SHOWN_ARGUMENTS_MAX = 600
"""Maximum characters of the arguments in the question."""
STATE_LABEL = "mcp request state"
ToolOperation = Operation[Any, Any]


def requires_confirmation(operation: ToolOperation, params: Mapping[str, Any]) -> bool:
    """Return True if the call lacks a required `confirm` and the client can ask."""
    arguments = params.get("arguments") or {}
    is_confirmed = arguments.get(CONFIRM) is True or params.get(CONFIRM) is True
    return operation.confirm and not is_confirmed and supports_elicitation(params)


async def call_or_elicit(
    request: McpRequest,
    operation: ToolOperation,
    params: types.CallToolRequestParams,
    raw: Mapping[str, Any],
) -> ToolResult | types.InputRequiredResult:
    """Carry out a confirmed call, or ask for confirmation.

    Other errors are returned before the user is asked.
    """
    answer = (params.input_responses or {}).get(CONFIRM)
    if params.request_state is not None and isinstance(answer, types.ElicitResult):
        if answer.action == "accept" and (answer.content or {}).get(CONFIRM) is True:
            confirmed = {**raw, CONFIRM: True}
            return await call_tool(request, operation, params.arguments, confirmed, once=params.request_state)
        return tool_error(request.body(CONFIRM_DECLINED(operation=operation.name)))
    result = await call_tool(request, operation, params.arguments, raw)
    if result.is_error and result.error_code == CONFIRM_REQUIRED.code:
        return _question(request, operation, params.arguments or {})
    return result


def _question(request: McpRequest, operation: ToolOperation, arguments: Mapping[str, Any]) -> types.InputRequiredResult:
    words = request.app.catalogues
    shown = codec.encode_json({name: value for name, value in arguments.items() if name != CONFIRM})
    said = remove_hidden_from_utf8(shown).decode()
    if len(said) > SHOWN_ARGUMENTS_MAX:
        said = said[:SHOWN_ARGUMENTS_MAX] + "…"
    action = words.translate(request.language, f"write.{operation.name}")
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            CONFIRM: {
                "type": "boolean",
                "title": words.translate(request.language, "mcp.confirm.field"),
                "default": False,
            }
        },
        "required": [CONFIRM],
    }
    asked = types.ElicitRequestFormParams(
        message=words.translate(request.language, "mcp.confirm.question", action=action, arguments=said),
        requested_schema=schema,
    )
    return types.InputRequiredResult(
        input_requests={CONFIRM: types.ElicitRequest(params=asked)}, request_state=secrets.token_urlsafe(18)
    )


class VaultStateCodec:
    """Seals states with the keys of the installation, shared by all processes."""

    def __init__(self, vault: SecretVault) -> None:
        self._vault = vault

    def seal(self, payload: bytes) -> str:
        """Return a sealed state."""
        return self._vault.seal(payload.decode(), STATE_LABEL)

    def unseal(self, token: str) -> bytes:
        """Return the content of a sealed state. Raises `InvalidRequestState`."""
        try:
            return self._vault.open(token, STATE_LABEL).encode()
        except SecretUnreadable as error:
            raise InvalidRequestState("unreadable") from error


def state_boundary(app: Application, audience: str) -> RequestStateBoundary:
    """Return the boundary that seals and opens states of a server.

    Without installation keys, each process uses a key of its own.
    """
    vault = app.adapters.get(SecretVault)
    codec_of_vault: RequestStateCodec | None = VaultStateCodec(vault) if vault and vault.available else None
    security = (
        RequestStateSecurity(codec=codec_of_vault, bind_principal=_token_of, audience=audience)
        if codec_of_vault
        else RequestStateSecurity(keys=[secrets.token_bytes(32)], bind_principal=_token_of, audience=audience)
    )
    return RequestStateBoundary(security, default_audience=audience)


def _token_of(context: Any) -> str | None:
    return request_of(context).headers.token
