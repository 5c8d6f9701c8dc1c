"""The endpoints that agents call: registration (RFC 7591), token (RFC 6749), revocation (RFC 7009)."""

from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from haulier.doors.headers import Headers
from haulier.doors.oauth.faults import DESCRIPTIONS_IN, NOT_KEPT, fault, refused
from haulier.doors.web.asking import form_of
from haulier.doors.web.session import house_of
from haulier.kernel import codec
from haulier.kernel.pipeline import Knock, Outcome, handle

BODY_MAX_BYTES = 65_536
METADATA = ("redirect_uris", "client_name", "client_uri", "grant_types", "response_types")
GRANTS = {
    "authorization_code": ("exchange_agent_code", ("code", "code_verifier", "redirect_uri")),
    "refresh_token": ("refresh_agent_tokens", ("refresh_token", "scope")),
}
EITHER = ("client_id", "resource")


async def register(request: Request) -> Response:
    """Register an agent. What it says beyond what we keep is passed over; there are no secrets (`none`)."""
    try:
        said: Any = msgspec.json.decode(await _body(request))
    except (msgspec.DecodeError, RecursionError):
        return fault("invalid_client_metadata", "The body is not JSON.")
    if not isinstance(said, dict):
        return fault("invalid_client_metadata", "The body is no JSON object.")
    known: dict[str, Any] = {name: said[name] for name in METADATA if said.get(name) not in (None, "")}
    outcome = await call(request, "register_agent", known)
    return refused(outcome, registering=True) if outcome.error else _given(outcome, 201)


async def token(request: Request) -> Response:
    """Give tokens for a code or a refresh token."""
    form = await form_of(request)
    grant = GRANTS.get(form.get("grant_type", ""))
    if grant is None:
        known = "grant_type" in form
        return fault("unsupported_grant_type" if known else "invalid_request", "grant_type: " + ", ".join(GRANTS))
    operation, fields = grant
    outcome = await call(request, operation, _of(form, (*EITHER, *fields)))
    return refused(outcome) if outcome.error else _given(outcome)


async def revoke(request: Request) -> Response:
    """End a token and the connection it belongs to. Whether there was one, nobody is told."""
    form = await form_of(request)
    outcome = await call(request, "revoke_agent_token", _of(form, ("client_id", "token")))
    return refused(outcome) if outcome.error else Response(status_code=200, headers=NOT_KEPT)


async def call(request: Request, operation: str, values: dict[str, Any], *, token: str | None = None) -> Outcome:
    """The outcome of an operation; headers of other doors mean nothing here."""
    house, headers = house_of(request), Headers.of(request.scope)
    knock = Knock(
        operation=house.registry[operation],
        door="oauth",
        request_id=headers.request_id,
        body=codec.encode(values),
        token=token,
        accept_language=DESCRIPTIONS_IN,
        address=headers.address,
    )
    return await handle(house, knock)


def _of(form: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Some fields of a form. One without a value counts as left out (RFC 6749, section 3.2)."""
    return {name: form[name] for name in names if form.get(name)}


def _given(outcome: Outcome, status: int = 200) -> Response:
    document = codec.plain(outcome.answer)
    del document["result"]
    return JSONResponse(document, status, NOT_KEPT)


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_MAX_BYTES:
            raise HTTPException(413)
    return body
