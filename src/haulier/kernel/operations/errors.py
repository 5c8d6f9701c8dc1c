"""Errors: the ways in which a call can fail.

Each has a status, a code and a translated message.

An `ErrorType` is declared once, next to the rule that raises it. Its id is the message id in the catalogues and, in
upper case, the machine-readable `code`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from haulier.kernel.i18n.languages import phrase

_error_types: dict[str, "ErrorType"] = {}


class FieldError(Struct, frozen=True):
    """An error in one field of a request.

    `code` is a message id, `field` a dotted path.
    """

    field: str
    code: str
    params: Mapping[str, Any] = {}


class OperationError(Exception):
    """A declared failure of a call. The transaction is rolled back completely."""

    def __init__(
        self,
        problem: "ErrorType",
        params: Mapping[str, Any],
        field_errors: tuple[FieldError, ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(problem.id)
        self.error_type = problem
        self.params = params
        self.field_errors = field_errors
        self.headers = headers or {}


class ErrorType(Struct, frozen=True):
    """A declared error: message id, HTTP status, extra fields and parameters.

    `fields` are the request fields that it is always about. A 422 error declares them or names them when it is
    raised.
    """

    id: str
    status: int
    body: Mapping[str, Any] = {}
    params: Mapping[str, Any] = {}
    fields: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The machine-readable code."""
        return self.id.upper()

    def __call__(self, **params: Any) -> OperationError:
        """Return an error with the parameters of its message."""
        filled = {**self.params, **params}
        return OperationError(self, filled, tuple(FieldError(field, self.id, filled) for field in self.fields))

    def for_fields(self, *field_errors: FieldError, **params: Any) -> OperationError:
        """Return an error for specific fields."""
        return OperationError(self, {**self.params, **params}, field_errors)


def declare_error(
    id: str, status: int, *, fields: tuple[str, ...] = (), params: Mapping[str, Any] | None = None, **body: Any
) -> ErrorType:
    """Declare an error type. Raises `ValueError` for a repeated id."""
    if id in _error_types:
        raise ValueError(f"the error {id!r} is declared twice")
    declared = _error_types[id] = ErrorType(id, status, body, params or {}, fields)
    return declared


def list_error_types() -> Iterator[ErrorType]:
    """Return all error types declared so far, in order."""
    return iter(tuple(_error_types.values()))


INVALID_REQUEST = declare_error("invalid_request", 422)
MALFORMED_JSON = declare_error("malformed_json", 400)
BODY_TOO_LARGE = declare_error("body_too_large", 413)
REQUEST_TOO_SLOW = declare_error("request_too_slow", 408)
UNSUPPORTED_MEDIA_TYPE = declare_error("unsupported_media_type", 415)
NOT_ACCEPTABLE = declare_error("not_acceptable", 406)
NOT_FOUND = declare_error("not_found", 404, params={"record": phrase("record.any")})
ROUTE_NOT_FOUND = declare_error("route_not_found", 404)
ORIGIN_NOT_WELCOME = declare_error("origin_not_welcome", 403)
METHOD_NOT_ALLOWED = declare_error("method_not_allowed", 405)
UNAUTHENTICATED = declare_error("unauthenticated", 401)
INVALID_TOKEN = declare_error("invalid_token", 401)
TOKEN_EXPIRED = declare_error("token_expired", 401)
INVALID_TOKEN_CODES = frozenset({INVALID_TOKEN.code, TOKEN_EXPIRED.code})
"""Error codes for a token that was sent but is not valid."""
ACCOUNT_NOT_ALLOWED = declare_error("account_not_allowed", 403)
SCOPE_MISSING = declare_error("scope_missing", 403)
SCOPE_NARROWED = declare_error("scope_narrowed", 403)
CLIENT_SUSPENDED = declare_error("client_suspended", 403)
MODULE_NOT_ENABLED = declare_error("module_not_enabled", 403)
MODULE_NOT_AVAILABLE = declare_error("module_not_available", 503)
FEATURE_OFF = declare_error("feature_off", 409, feature_enabled=False)
RATE_LIMITED = declare_error("rate_limited", 429)
CONFIRM_REQUIRED = declare_error("confirm_required", 428)
CANNOT_WAIT = declare_error("approval_cannot_wait", 403)
IDEMPOTENCY_KEY_REUSED = declare_error("idempotency_key_reused", 422, fields=("Idempotency-Key",))
ANSWER_NOT_REPEATED = declare_error("answer_not_repeated", 409)
IDEMPOTENCY_KEY_INVALID = declare_error("idempotency_key_invalid", 422, fields=("Idempotency-Key",))
CONFLICT = declare_error("conflict", 409)
# Retry times: a writer's turn takes milliseconds, a failover seconds, and freeing disk space needs an operator.
BUSY_TRY_AGAIN = declare_error("busy_try_again", 503, retry_after_s=1)
DEADLINE_EXCEEDED = declare_error("deadline_exceeded", 503, retry_after_s=1)
DATABASE_UNAVAILABLE = declare_error("database_unavailable", 503, retry_after_s=2)
DATABASE_FULL = declare_error("database_full", 503, retry_after_s=60)
KEY_UNAVAILABLE = declare_error("key_unavailable", 503, retry_after_s=10)
MAINTENANCE = declare_error("maintenance", 503, retry_after_s=60)
OUTCOME_UNKNOWN = declare_error("outcome_unknown", 503, retry_after_s=2)
INTERNAL_ERROR = declare_error("internal_error", 500)
PRICE_HIDDEN = declare_error("price_hidden_settle_offline", 403)
UNKNOWN_OPERATION = declare_error("unknown_operation", 404)
SCOPES_EXCEEDED = declare_error("scopes_exceeded", 403)

_MAX_SHOWN_VALUE = 60


def record_not_found(path: str = "", /, **values: Any) -> OperationError:
    """Return `NOT_FOUND` for a record named by request fields, such as `order_id=62`.

    `path` is the place of the fields in the request, such as `charges.1.`. Each field needs a message
    `record.<field>`. Only repeats the caller's values, so it does not reveal records of other clients.
    """
    phrases = {name: phrase(f"record.{name}", value=str(value)[:_MAX_SHOWN_VALUE]) for name, value in values.items()}
    faults = (FieldError(f"{path}{name}", "field.not_found", {"record": record}) for name, record in phrases.items())
    return NOT_FOUND.for_fields(*faults, record=list(phrases.values()))
