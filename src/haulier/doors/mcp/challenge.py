"""Refusals that an agent can follow: 401 and 403 with the way to a token (RFC 6750, section 3; RFC 9728, section 5.1)."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs

from haulier.kernel.audience import PATHS, audience_of
from haulier.kernel.declarations import Scope
from haulier.kernel.profiles import PROFILES

USUAL = "ops-readonly"
"""The profile that an agent is told to ask for where nothing says otherwise: the default for new tokens."""

_INVALID = {"INVALID_TOKEN", "TOKEN_EXPIRED"}


class Challenge:
    """What the answer to one request asks of its caller besides its body; nothing, as long as nobody demands it."""

    def __init__(self, base_url: str, path: str, token: str | None) -> None:
        about = path.rstrip("/") if path.rstrip("/") in PATHS else ""
        self._document = f"{base_url}/.well-known/oauth-protected-resource{about}"
        self._token = token
        self.status: int | None = None
        self.header = ""

    @property
    def agents(self) -> bool:
        """Whether the token that came is one of an agent that was connected: such a one can follow, others have no way."""
        return self._token is not None and audience_of(self._token) is not None

    def demand_token(self, scopes: Iterable[Scope] = ()) -> None:
        """Ask for a token, or for another one where one came: 401."""
        error = {"error": "invalid_token"} if self._token else {}
        self._demand(401, error, PROFILES[USUAL] | set(scopes))

    def demand_more(self, scopes: Iterable[Scope]) -> None:
        """Ask for a token that may do more: 403."""
        self._demand(403, {"error": "insufficient_scope"}, scopes)

    def demand_profile(self, scopes: Iterable[Scope]) -> None:
        """Ask for a token with the scopes of a profile that the link names: 401."""
        self._demand(401, {}, scopes)

    def show_the_way(self) -> None:
        """Say where tokens are got, to a page that is refused without one: 403."""
        self._demand(403, {}, PROFILES[USUAL])

    def _demand(self, status: int, error: Mapping[str, str], scopes: Iterable[Scope]) -> None:
        said = {**error, "scope": " ".join(sorted(scopes)), "resource_metadata": self._document}
        self.status = status
        self.header = "Bearer " + ", ".join(f'{name}="{value}"' for name, value in said.items())


def profile_of(query_string: bytes) -> str | None:
    """The profile that a link names: `/mcp?profile=ops-write` is for agents that cannot be told a header."""
    return parse_qs(query_string.decode("latin-1")).get("profile", [None])[0] if query_string else None


def is_unauthenticated(error: Mapping[str, Any]) -> bool:
    """Whether a refusal says that nobody knows the caller."""
    return error.get("code") in {"UNAUTHENTICATED", *_INVALID}
