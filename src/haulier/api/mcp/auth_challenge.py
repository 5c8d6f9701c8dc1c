"""Authentication challenges for agents (401 and 403).

Follows RFC 6750, section 3, and RFC 9728, section 5.1.
"""

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs

from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import INVALID_TOKEN_CODES, UNAUTHENTICATED
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.pipeline.token_audience import SERVER_PATHS, get_token_audience

DEFAULT_PROFILE = "ops-readonly"
"""Profile to request by default, the same as for new tokens."""


class AuthChallenge:
    """The challenge in the headers of one answer, empty until a method sets it."""

    def __init__(self, base_url: str, path: str, token: str | None) -> None:
        about = path.rstrip("/") if path.rstrip("/") in SERVER_PATHS else ""
        self._document = f"{base_url}/.well-known/oauth-protected-resource{about}"
        self._token = token
        self.status: int | None = None
        self.header = ""

    @property
    def is_connected_agent(self) -> bool:
        """Return True if the token belongs to a connected agent.

        Only a connected agent can request another token.
        """
        return self._token is not None and get_token_audience(self._token) is not None

    @property
    def is_invalid_token(self) -> bool:
        """Return True if the answer is a 401 for the token that was sent."""
        return self.status == 401 and self._token is not None

    def require_token(self, scopes: Iterable[Scope] = ()) -> None:
        """Answer 401 and request a token, or a new one if a token was sent."""
        error = {"error": "invalid_token"} if self._token else {}
        self._set_challenge(401, error, PROFILES[DEFAULT_PROFILE] | set(scopes))

    def require_more_scopes(self, scopes: Iterable[Scope]) -> None:
        """Answer 403 and request a token with more scopes."""
        self._set_challenge(403, {"error": "insufficient_scope"}, scopes)

    def require_profile(self, scopes: Iterable[Scope]) -> None:
        """Answer 401 and request a token with the scopes of the link's profile."""
        self._set_challenge(401, {}, scopes)

    def show_authorization_server(self) -> None:
        """Answer 403 and name the authorization server to a page without a token."""
        self._set_challenge(403, {}, PROFILES[DEFAULT_PROFILE])

    def _set_challenge(self, status: int, error: Mapping[str, str], scopes: Iterable[Scope]) -> None:
        parameters = {**error, "scope": " ".join(sorted(scopes)), "resource_metadata": self._document}
        self.status = status
        self.header = "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parameters.items())


def option_in_query(query_string: bytes, name: str) -> str | None:
    """Return an option that a link names, as in `/mcp?profile=ops-write`.

    For agents that can't set headers.
    """
    return parse_qs(query_string.decode("latin-1")).get(name, [None])[0] if query_string else None


def is_unauthenticated(code: str) -> bool:
    """Return True if an error code means that the caller is not authenticated."""
    return code in {UNAUTHENTICATED.code, *INVALID_TOKEN_CODES}
