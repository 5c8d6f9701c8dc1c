"""Errors that calls raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from haulier_client import types


class HaulierError(Exception):
    """Base of all errors of this package."""


class ConnectionFailed(HaulierError):
    """Raised when no answer came: no connection, a broken one, or a timeout."""


class ApiError(HaulierError):
    """A refusal by the server.

    `code` never changes and is safe to compare; `message` is in the language of the client. `faults` lists all invalid
    fields, `field` the first of them. Quote `request_id` when you report a problem.
    """

    def __init__(
        self, status: int, body: dict[str, Any], *, request_id: str = "", retry_after_s: float | None = None
    ) -> None:
        self.status = status
        self.code: str = body.get("code") or f"HTTP_{status}"
        self.message: str = body.get("message") or f"The server answered {status}."
        self.faults: list[types.FieldFault] = body.get("errors") or []
        self.hint: str | None = body.get("hint")
        self.request_id: str = body.get("request_id") or request_id
        self.retry_after_s = retry_after_s
        super().__init__(f"{status} {self.code}: {self.message}")

    @property
    def field(self) -> str | None:
        """Path of the first invalid field."""
        return self.faults[0].get("field") if self.faults else None


class AuthenticationFailed(ApiError):
    """The key is missing, wrong, expired or revoked (401)."""


class PermissionDenied(ApiError):
    """The account or the key lacks the right (403)."""


class NotFound(ApiError):
    """No such record that the caller can see (404, 410)."""


class Conflict(ApiError):
    """Refused in the current state of the record (409)."""


class InvalidRequest(ApiError):
    """The request is not valid (400, 413, 415, 422)."""


class RateLimited(ApiError):
    """Too many calls (429). Wait `retry_after_s` seconds."""


class ServerFailed(ApiError):
    """The server failed or is not available (5xx)."""


class WebhookRefused(HaulierError):
    """A webhook is not genuine. `reason` is `malformed`, `mismatch`, `too_old` or `too_new`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The signature of the webhook was refused: {reason}.")


BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequest,
    401: AuthenticationFailed,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    429: RateLimited,
}
