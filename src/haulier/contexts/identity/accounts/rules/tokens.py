"""Kinds and states of tokens, and which tokens can be rotated."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

TOKEN_ENDED = declare_error("token_ended", 409)


class TokenKind(StrEnum):
    """What a token is: a sign-in of a person, or the key of a program."""

    SESSION = "session"
    API = "api"


class TokenState(StrEnum):
    """The state of a token. A revoked token stays revoked after its time has run out."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


class TokenStateFilter(StrEnum):
    """Which tokens are listed, by their state."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"
    ANY = "any"


class TokenFilter(Struct, frozen=True, kw_only=True):
    """Which tokens to list: of one kind and state, of one user (None: all), with a text in the name, holding all scopes."""

    kind: TokenKind
    owner: int | None
    state: TokenStateFilter
    text: str | None = None
    scopes: Collection[str] = ()


def token_state(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> TokenState:
    """The state of a token now."""
    if revoked_at is not None:
        return TokenState.REVOKED
    return TokenState.ACTIVE if now < expires_at else TokenState.EXPIRED


def require_token_active(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> None:
    """A token that ended gets no new text: issue another. Raises `TOKEN_ENDED`."""
    if token_state(revoked_at, expires_at, now) is not TokenState.ACTIVE:
        raise TOKEN_ENDED()
