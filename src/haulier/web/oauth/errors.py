"""OAuth errors: RFC 6749 (4.1.2.1, 5.2), RFC 7591 (3.2.2) and RFC 8707 (2)."""

import re

from starlette.responses import JSONResponse, Response

from haulier.web.operations_client import Refused

NO_STORE_HEADERS = {"Cache-Control": "no-store", "Pragma": "no-cache"}
DESCRIPTION_LANGUAGE = "en"
"""RFC 6749 lets an `error_description` have ASCII signs only."""

_OAUTH_CODES = {
    "AGENT_UNKNOWN": "invalid_client",
    "AGENT_CODE_INVALID": "invalid_grant",
    "AGENT_REFRESH_INVALID": "invalid_grant",
    "AGENT_SCOPE_UNKNOWN": "invalid_scope",
    "SCOPES_EXCEEDED": "invalid_scope",
    "AGENT_TARGET_UNKNOWN": "invalid_target",
    "REDIRECT_URI_REFUSED": "invalid_redirect_uri",
    "AGENT_METADATA_REFUSED": "invalid_client_metadata",
}
_DISALLOWED_CHARACTERS = re.compile(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")


def oauth_error_code(refused: Refused) -> str:
    """The code of OAuth for an error."""
    if refused.status >= 500 or refused.status == 429:
        return "temporarily_unavailable" if refused.status in {429, 503} else "server_error"
    if any(error["field"] == "response_type" for error in refused.error.get("errors", ())):
        return "unsupported_response_type"
    return _OAUTH_CODES.get(refused.error.get("code", ""), "invalid_request")


def oauth_error_description(refused: Refused) -> str:
    """Return the error description with its fields."""
    errors = [f"{error['field']}: {error['message']}" for error in refused.error.get("errors", ())]
    return plain_description(" ".join([refused.message, *errors]))


def plain_description(text: str) -> str:
    """A text with only the signs that an `error_description` may have."""
    return _DISALLOWED_CHARACTERS.sub("?", text)[:500]


def oauth_refusal(refused: Refused, *, registering: bool = False) -> Response:
    """Return the error response of an endpoint.

    401 for unknown agents (RFC 6749, 5.2).
    """
    error = oauth_error_code(refused)
    if registering and error == "invalid_request":
        error = "invalid_client_metadata"
    status = 401 if error == "invalid_client" else refused.status if refused.status in {413, 429, 500, 503} else 400
    return oauth_error_response(error, oauth_error_description(refused), status, dict(refused.headers))


def oauth_error_response(
    error: str, description: str, status: int = 400, headers: dict[str, str] | None = None
) -> Response:
    """An answer that names an error."""
    body = {"error": error, "error_description": plain_description(description)}
    return JSONResponse(body, status, {**NO_STORE_HEADERS, **(headers or {})})
