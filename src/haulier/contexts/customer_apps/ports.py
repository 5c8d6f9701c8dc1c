"""Ports of customer apps."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct


class IdTokenClaims(Struct, frozen=True, kw_only=True):
    """Person known to an identity provider.

    `email` is in lower case, and None unless the provider verified it.
    """

    issuer: str
    subject: str
    email: str | None = None
    name: str | None = None


class InvalidIdToken(Exception):
    """An ID token that proves nothing; the text says why, for the log."""


class IdTokenVerifier(Protocol):
    """Reads the ID tokens of an OpenID provider."""

    async def person(
        self, id_token: str, *, issuer: str, audience: str, now: datetime, nonce: str | None
    ) -> IdTokenClaims:
        """Return the person of a token.

        The token must be signed by the issuer, for this audience alone, be valid at `now`, and have the nonce if one is
        given. Raises `InvalidIdToken`, or `OSError` if the provider's keys are unavailable.
        """
        ...
