"""Rules of app sessions: their binding, and detection of stolen tokens."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

NOT_THIS_APPS_SESSION = declare_error("not_this_apps_session", 403)
NOT_THIS_DEVICE = declare_error("not_this_device", 403)

REPLACED_TOKEN_LEEWAY = timedelta(seconds=10)
"""Time after a refresh in which the replaced token is only refused. Parallel refreshes of an app are no sign of theft."""


class SessionEndReason(StrEnum):
    """Why a session ended."""

    SIGNED_OUT = "signed_out"
    SIGNED_IN_AGAIN = "signed_in_again"
    REUSED = "token_reused"


class SessionBinding(Struct, frozen=True):
    """Properties that a session is bound to, besides its client and user."""

    app_id: int
    device_id: str
    device_platform: str


def require_session_of_app(bound: SessionBinding, app_id: int, *, client_id: int, at: int) -> None:
    """Raise `NOT_THIS_APPS_SESSION` unless the session belongs to this app and client."""
    if bound.app_id != app_id or client_id != at:
        raise NOT_THIS_APPS_SESSION()


def require_session_device(bound: SessionBinding, device_id: str, platform: str) -> None:
    """Raise `NOT_THIS_DEVICE` unless the session is refreshed on its own device."""
    if (bound.device_id, bound.device_platform) != (device_id, platform):
        raise NOT_THIS_DEVICE()


def is_session_token_reused(replaced_at: datetime | None, now: datetime) -> bool:
    """Return True if a token was replaced longer ago than the leeway.

    Its use then means theft (RFC 9700, section 4.14.2).
    """
    return replaced_at is not None and now - replaced_at > REPLACED_TOKEN_LEEWAY
