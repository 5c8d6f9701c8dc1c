"""What a session of an app is bound to, and when a replaced token counts as stolen."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

NOT_THIS_APPS_SESSION = declare_error("not_this_apps_session", 403)
NOT_THIS_DEVICE = declare_error("not_this_device", 403)

REPLACED_TOKEN_LEEWAY = timedelta(seconds=10)
"""So long after a refresh the token before it is only refused.

# Why: an app that sends two refreshes at the same time has not lost its token to a thief.
"""


class SessionEndReason(StrEnum):
    """Why a session ended."""

    SIGNED_OUT = "signed_out"
    SIGNED_IN_AGAIN = "signed_in_again"
    REUSED = "token_reused"


class SessionBinding(Struct, frozen=True):
    """What a session is bound to besides its client and user."""

    app_id: int
    device_id: str
    device_platform: str


def require_session_of_app(bound: SessionBinding, app_id: int, *, client_id: int, at: int) -> None:
    """The session must be one of this app at this client (`at`). Raises `NOT_THIS_APPS_SESSION`."""
    if bound.app_id != app_id or client_id != at:
        raise NOT_THIS_APPS_SESSION()


def require_session_device(bound: SessionBinding, device_id: str, platform: str) -> None:
    """A session can be refreshed only on the device where it began. Raises `NOT_THIS_DEVICE`."""
    if (bound.device_id, bound.device_platform) != (device_id, platform):
        raise NOT_THIS_DEVICE()


def is_session_token_reused(replaced_at: datetime | None, now: datetime) -> bool:
    """Whether a token was replaced longer ago than the leeway, so that its use means theft (RFC 9700, section 4.14.2)."""
    return replaced_at is not None and now - replaced_at > REPLACED_TOKEN_LEEWAY
