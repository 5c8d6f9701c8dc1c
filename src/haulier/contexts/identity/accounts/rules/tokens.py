"""Whether a token still works, and when it can still be rotated."""

from datetime import datetime
from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

TOKEN_ENDED = declare_error("token_ended", 409)


class TokenState(StrEnum):
    """How a token stands. One that was revoked is revoked whenever it would have expired."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


class TokenStateFilter(StrEnum):
    """Which tokens are listed, by how they stand."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"
    ANY = "any"


def token_state(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> TokenState:
    """How a token stands now."""
    if revoked_at is not None:
        return TokenState.REVOKED
    return TokenState.ACTIVE if now < expires_at else TokenState.EXPIRED


def require_token_active(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> None:
    """A token that ended gets no new text: issue another. Raises `TOKEN_ENDED`."""
    if token_state(revoked_at, expires_at, now) is not TokenState.ACTIVE:
        raise TOKEN_ENDED()
