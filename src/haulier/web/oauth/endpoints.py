"""The endpoints that agents call: registration (RFC 7591), token (RFC 6749), revocation (RFC 7009)."""

from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from haulier.doors.request_headers import RequestHeaders
from haulier.kernel.operations import codec
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.web.oauth.errors import DESCRIPTION_LANGUAGE, NO_STORE_HEADERS, oauth_error_response, oauth_refusal
from haulier.web.operations_client import read_form
from haulier.web.session import app_of

MAX_BODY_BYTES = 65_536
CLIENT_METADATA_FIELDS = ("redirect_uris", "client_name", "client_uri", "grant_types", "response_types")
GRANT_OPERATIONS = {
    "authorization_code": ("exchange_agent_code", ("code", "code_verifier", "redirect_uri")),
    "refresh_token": ("refresh_agent_tokens", ("refresh_token", "scope")),
}
COMMON_TOKEN_FIELDS = ("client_id", "resource")


async def register_client(request: Request) -> Response:
    """Register an agent. What it says beyond what we keep is passed over; there are no secrets (`none`)."""
    try:
        said: Any = msgspec.json.decode(await _read_body(request))
    except (msgspec.DecodeError, RecursionError):
        return oauth_error_response("invalid_client_metadata", "The body is not JSON.")
    if not isinstance(said, dict):
        return oauth_error_response("invalid_client_metadata", "The body is no JSON object.")
    known: dict[str, Any] = {name: said[name] for name in CLIENT_METADATA_FIELDS if said.get(name) not in (None, "")}
    outcome = await call_operation_json(request, "register_agent", known)
    return oauth_refusal(outcome, registering=True) if outcome.error else _token_response(outcome, 201)


async def issue_tokens(request: Request) -> Response:
    """Give tokens for a code or a refresh token."""
    form = await read_form(request)
    grant = GRANT_OPERATIONS.get(form.get("grant_type", ""))
    if grant is None:
        known = "grant_type" in form
        return oauth_error_response(
            "unsupported_grant_type" if known else "invalid_request", "grant_type: " + ", ".join(GRANT_OPERATIONS)
        )
    operation, fields = grant
    outcome = await call_operation_json(request, operation, _form_fields(form, (*COMMON_TOKEN_FIELDS, *fields)))
    return oauth_refusal(outcome) if outcome.error else _token_response(outcome)


async def revoke_token(request: Request) -> Response:
    """End a token and the connection it belongs to. Whether there was one, nobody is told."""
    form = await read_form(request)
    outcome = await call_operation_json(request, "revoke_agent_token", _form_fields(form, ("client_id", "token")))
    return oauth_refusal(outcome) if outcome.error else Response(status_code=200, headers=NO_STORE_HEADERS)


async def call_operation_json(
    request: Request, operation: str, values: dict[str, Any], *, token: str | None = None
) -> OperationResult:
    """The outcome of an operation; headers of other doors mean nothing here."""
    app, headers = app_of(request), RequestHeaders.of(request.scope)
    operation_request = OperationRequest(
        operation=app.registry[operation],
        door="oauth",
        request_id=headers.request_id,
        body=codec.encode_json(values),
        token=token,
        accept_language=DESCRIPTION_LANGUAGE,
        address=headers.address,
    )
    return await handle_request(app, operation_request)


def _form_fields(form: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Some fields of a form. One without a value counts as left out (RFC 6749, section 3.2)."""
    return {name: form[name] for name in names if form.get(name)}


def _token_response(outcome: OperationResult, status: int = 200) -> Response:
    document = codec.to_plain_values(outcome.answer)
    del document["result"]
    return JSONResponse(document, status, NO_STORE_HEADERS)


async def _read_body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise HTTPException(413)
    return body
