"""Agent endpoints: registration (RFC 7591), token and revocation."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from haulier.api.request_headers import RequestHeaders
from haulier.contexts.oauth.grants.operations import (
    exchange_agent_code,
    refresh_agent_tokens,
    register_agent,
    revoke_agent_token,
)
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.web.oauth.errors import DESCRIPTION_LANGUAGE, NO_STORE_HEADERS, oauth_error_response, oauth_refusal
from haulier.web.operations_client import Ans, Answered, Refused, Req, read_body, read_form, typed_result
from haulier.web.session import app_of

OAUTH_INTERFACE = "oauth"
CLIENT_METADATA_FIELDS = ("redirect_uris", "client_name", "client_uri", "grant_types", "response_types")
GRANT_OPERATIONS: dict[str, tuple[Operation[Any, Any], tuple[str, ...]]] = {
    "authorization_code": (exchange_agent_code, ("code", "code_verifier", "redirect_uri")),
    "refresh_token": (refresh_agent_tokens, ("refresh_token", "scope")),
}
COMMON_TOKEN_FIELDS = ("client_id", "resource")


async def register_client(request: Request) -> Response:
    """Register an agent.

    Unknown metadata is ignored; clients have no secrets (`none`).
    """
    try:
        metadata: Any = msgspec.json.decode(await read_body(request))
    except (msgspec.DecodeError, RecursionError):
        return oauth_error_response("invalid_client_metadata", "The body is not JSON.")
    if not isinstance(metadata, dict):
        return oauth_error_response("invalid_client_metadata", "The body is no JSON object.")
    values: dict[str, Any] = {
        name: metadata[name] for name in CLIENT_METADATA_FIELDS if metadata.get(name) not in (None, "")
    }
    result = await call_as_agent(request, register_agent, values)
    return (
        oauth_refusal(result, registering=True) if isinstance(result, Refused) else _token_response(result.answer, 201)
    )


async def issue_tokens(request: Request) -> Response:
    """Give tokens for a code or a refresh token."""
    form = await read_form(request)
    grant = GRANT_OPERATIONS.get(form.get("grant_type", ""))
    if grant is None:
        has_grant_type = "grant_type" in form
        return oauth_error_response(
            "unsupported_grant_type" if has_grant_type else "invalid_request",
            "grant_type: " + ", ".join(GRANT_OPERATIONS),
        )
    operation, fields = grant
    result = await call_as_agent(request, operation, _form_fields(form, (*COMMON_TOKEN_FIELDS, *fields)))
    return oauth_refusal(result) if isinstance(result, Refused) else _token_response(result.answer)


async def revoke_token(request: Request) -> Response:
    """Revoke a token and its connection. The response is the same for unknown tokens."""
    form = await read_form(request)
    result = await call_as_agent(request, revoke_agent_token, _form_fields(form, ("client_id", "token")))
    return oauth_refusal(result) if isinstance(result, Refused) else Response(status_code=200, headers=NO_STORE_HEADERS)


async def call_as_agent(
    request: Request, operation: Operation[Req, Ans], values: Mapping[str, Any], *, token: str | None = None
) -> Answered[Ans] | Refused:
    """Call an operation for an agent.

    Messages are English; headers of other interfaces are ignored.
    """
    headers = RequestHeaders.of(request.scope)
    operation_request = OperationRequest(
        operation=operation,
        interface=OAUTH_INTERFACE,
        request_id=headers.request_id,
        body=codec.encode_json(values),
        token=token,
        accept_language=DESCRIPTION_LANGUAGE,
        address=headers.address,
    )
    return typed_result(operation, await handle_request(app_of(request), operation_request))


def _form_fields(form: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Return fields of a form.

    An empty value counts as omitted (RFC 6749, section 3.2).
    """
    return {name: form[name] for name in names if form.get(name)}


def _token_response(answer: Answer, status: int = 200) -> Response:
    document = codec.to_plain_values(answer)
    del document["result"]
    return JSONResponse(document, status, NO_STORE_HEADERS)
