"""Refusals: every way in which a call can be turned down, with a status, a code and words in the caller's language.

A `Problem` is declared once, beside the rule that raises it; its id is the message id in the catalogues and, in capitals,
the machine-readable `code` in every answer.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

_declared: dict[str, "Problem"] = {}


class Fault(Struct, frozen=True):
    """One thing wrong with one field of a request. `code` is a message id, `field` a dotted path."""

    field: str
    code: str
    params: Mapping[str, Any] = {}


class Refusal(Exception):
    """A call turned down. The transaction is rolled back; nothing of the call remains."""

    def __init__(
        self,
        problem: "Problem",
        params: Mapping[str, Any],
        faults: tuple[Fault, ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(problem.id)
        self.problem = problem
        self.params = params
        self.faults = faults
        self.headers = headers or {}


class Problem(Struct, frozen=True):
    """A declared way to refuse: message id, HTTP status, and fields that the body carries besides the common ones."""

    id: str
    status: int
    body: Mapping[str, Any] = {}

    @property
    def code(self) -> str:
        """The machine-readable code on the wire."""
        return self.id.upper()

    def __call__(self, **params: Any) -> Refusal:
        """A refusal with the words' parameters filled in."""
        return Refusal(self, params)

    def at(self, *faults: Fault, **params: Any) -> Refusal:
        """A refusal that names the fields at fault."""
        return Refusal(self, params, faults)


def problem(id: str, status: int, **body: Any) -> Problem:
    """Declare a problem. A second declaration under the same id is refused, at import."""
    if id in _declared:
        raise ValueError(f"the problem {id!r} is declared twice")
    declared = _declared[id] = Problem(id, status, body)
    return declared


def declared_problems() -> Iterator[Problem]:
    """Every problem declared so far, in order of declaration."""
    return iter(tuple(_declared.values()))


INVALID_REQUEST = problem("invalid_request", 422)
MALFORMED_JSON = problem("malformed_json", 400)
BODY_TOO_LARGE = problem("body_too_large", 413)
UNSUPPORTED_MEDIA_TYPE = problem("unsupported_media_type", 415)
NOT_ACCEPTABLE = problem("not_acceptable", 406)
NOT_FOUND = problem("not_found", 404)
ROUTE_NOT_FOUND = problem("route_not_found", 404)
METHOD_NOT_ALLOWED = problem("method_not_allowed", 405)
UNAUTHENTICATED = problem("unauthenticated", 401)
INVALID_TOKEN = problem("invalid_token", 401)
TOKEN_EXPIRED = problem("token_expired", 401)
FORBIDDEN = problem("forbidden", 403)
ACCOUNT_NOT_ALLOWED = problem("account_not_allowed", 403)
SCOPE_MISSING = problem("scope_missing", 403)
MODULE_OFF = problem("module_off", 403)
MODULE_NOT_AVAILABLE = problem("module_not_available", 503)
FEATURE_OFF = problem("feature_off", 409, feature_enabled=False)
RATE_LIMITED = problem("rate_limited", 429)
CONFIRM_REQUIRED = problem("confirm_required", 428)
CANNOT_WAIT = problem("approval_cannot_wait", 403)
IDEMPOTENCY_KEY_REUSED = problem("idempotency_key_reused", 422)
IDEMPOTENCY_KEY_INVALID = problem("idempotency_key_invalid", 422)
CONFLICT = problem("conflict", 409)
BUSY_TRY_AGAIN = problem("busy_try_again", 503)
INTERNAL_ERROR = problem("internal_error", 500)
PRICE_HIDDEN = problem("price_hidden_settle_offline", 403)
NOT_READY = problem("not_ready", 503)
UNKNOWN_OPERATION = problem("unknown_operation", 404)
