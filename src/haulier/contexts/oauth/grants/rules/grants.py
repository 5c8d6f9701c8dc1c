"""Lifetimes of grants and their secrets, and why a grant ends."""

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
"""# Why: RFC 6749, section 4.1.2 allows ten minutes at most; an agent that waits for the answer exchanges it at once."""

ACCESS_LIFETIME = timedelta(hours=1)
ACCESS_TOKEN_OVERLAP = timedelta(minutes=1)
"""So long an access token works after its successor was issued, for calls that are under way."""

REFRESH_LIFETIME = timedelta(days=30)
"""An agent that is not used for so long has to be connected again."""

GRANT_LIFETIME = timedelta(days=365)
REFRESH_REUSE_LEEWAY = timedelta(seconds=10)
"""So long after its use a refresh token is only refused.

# Why: an agent that sends two refreshes at the same time has not lost its token to a thief.
"""

UNUSED_AGENTS_KEPT = timedelta(days=90)
"""Registrations to which nobody granted anything are deleted after so long."""


class GrantEndReason(StrEnum):
    """Why a grant ended."""

    DISCONNECTED = "disconnected"
    REVOKED_BY_AGENT = "revoked_by_agent"
    TOKEN_REVOKED = "token_revoked"
    CODE_REUSED = "code_reused"
    REFRESH_REUSED = "refresh_reused"
    REPLACED = "replaced"


def matches_challenge(verifier: str, challenge: str) -> bool:
    """Whether a verifier matches a challenge (RFC 7636, section 4.6; S256)."""
    digest = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(digest, challenge.encode())


def is_refresh_token_reused(used_at: datetime | None, now: datetime) -> bool:
    """Whether a refresh token was used longer ago than the leeway, so that its use means theft (RFC 9700, section 4.14.2)."""
    return used_at is not None and now - used_at > REFRESH_REUSE_LEEWAY


def refresh_token_expiry(now: datetime, grant_ends: datetime) -> datetime:
    """Until when a new refresh token works: never beyond the grant."""
    return min(now + REFRESH_LIFETIME, grant_ends)
