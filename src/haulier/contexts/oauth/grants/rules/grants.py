"""How long a grant lives, what it is proved with, and when it ends."""

import hmac
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from haulier.kernel.operations.errors import declare_error

AGENT_UNKNOWN = declare_error("agent_unknown", 400)
CODE_INVALID = declare_error("agent_code_invalid", 400)
REFRESH_INVALID = declare_error("agent_refresh_invalid", 400)

CODE_LIFETIME = timedelta(seconds=60)
"""RFC 6749, section 4.1.2 allows ten minutes at most; an agent that waits for its answer needs no more than a moment."""

ACCESS_LIFETIME = timedelta(hours=1)
ACCESS_TOKEN_OVERLAP = timedelta(minutes=1)
"""So long an access token works on after its successor was given out, for calls that are under way."""

REFRESH_LIFETIME = timedelta(days=30)
"""An agent that is not used for so long has to be connected again."""

GRANT_LIFETIME = timedelta(days=365)
REFRESH_REUSE_LEEWAY = timedelta(seconds=10)
"""So long after its use a refresh token is only refused: an agent that asked twice at once is no thief."""

UNUSED_AGENTS_KEPT = timedelta(days=90)
"""Registrations to which nobody ever granted anything are forgotten after so long."""


class GrantEndReason(StrEnum):
    """Why a grant ended."""

    DISCONNECTED = "disconnected"
    REVOKED_BY_AGENT = "revoked_by_agent"
    TOKEN_REVOKED = "token_revoked"
    CODE_REUSED = "code_reused"
    REFRESH_REUSED = "refresh_reused"
    REPLACED = "replaced"


def matches_challenge(verifier: str, challenge: str) -> bool:
    """Whether a verifier is the one whose challenge was sent ahead (RFC 7636, section 4.6; S256)."""
    digest = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(digest, challenge.encode())


def is_refresh_token_reused(used_at: datetime | None, now: datetime) -> bool:
    """Whether showing a refresh token means that two hold it: it was used, and not just now (RFC 9700, section 4.14.2)."""
    return used_at is not None and now - used_at > REFRESH_REUSE_LEEWAY


def refresh_token_expiry(now: datetime, grant_ends: datetime) -> datetime:
    """Until when a new refresh token works: never beyond the grant."""
    return min(now + REFRESH_LIFETIME, grant_ends)
