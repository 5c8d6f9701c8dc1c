"""Rules of grants."""

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Meta, Struct

from haulier.contexts.identity.accounts.rules import require_scopes_held
from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, PROFILES
from haulier.kernel.pipeline.token_audience import SERVER_PATHS
from haulier.kernel.values.loopback import LOOPBACK_HOSTS

AGENT_UNKNOWN = declare_error("agent_unknown", 400)
CODE_INVALID = declare_error("agent_code_invalid", 400)
REFRESH_INVALID = declare_error("agent_refresh_invalid", 400)

CODE_LIFETIME = timedelta(seconds=60)
"""RFC 6749, section 4.1.2 allows ten minutes at most; an agent exchanges the code at once."""

ACCESS_LIFETIME = timedelta(hours=1)
ACCESS_TOKEN_OVERLAP = timedelta(minutes=1)
"""Overlap of an access token with its successor, for calls in progress."""

REFRESH_LIFETIME = timedelta(days=30)
"""Time without use after which an agent must be connected again."""

GRANT_LIFETIME = timedelta(days=365)
REFRESH_REUSE_LEEWAY = timedelta(seconds=10)
"""Time after use during which a refresh token is only rejected: an agent that sends two concurrent refreshes has not
lost its token to a thief."""

UNUSED_AGENTS_KEPT = timedelta(days=90)
"""Age at which registrations without grants are deleted."""


class GrantEndReason(StrEnum):
    """Why a grant ended."""

    DISCONNECTED = "disconnected"
    REVOKED_BY_AGENT = "revoked_by_agent"
    TOKEN_REVOKED = "token_revoked"
    CODE_REUSED = "code_reused"
    REFRESH_REUSED = "refresh_reused"
    REPLACED = "replaced"


def matches_challenge(verifier: str, challenge: str) -> bool:
    """Return True if a verifier matches a challenge (RFC 7636, section 4.6; S256)."""
    digest = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(digest, challenge.encode())


def is_refresh_token_reused(used_at: datetime | None, now: datetime) -> bool:
    """Return True if a refresh token was used before the leeway, which means theft.

    RFC 9700, section 4.14.2.
    """
    return used_at is not None and now - used_at > REFRESH_REUSE_LEEWAY


def refresh_token_expiry(now: datetime, grant_ends: datetime) -> datetime:
    """Return the expiry of a new refresh token, never beyond the grant."""
    return min(now + REFRESH_LIFETIME, grant_ends)


REDIRECT_URI_REFUSED = declare_error("redirect_uri_refused", 400)
REDIRECT_URI_UNKNOWN = declare_error("redirect_uri_unknown", 400)

_PLAIN = re.compile(r"[\x21-\x7e]+")
_STRANGE = frozenset('\\"<>^`{|}')
"""Characters that no URI has (RFC 3986); browsers read some of them as others."""


def require_redirect_uri(uri: str) -> None:
    """Require an address that may be registered. Raises `REDIRECT_URI_REFUSED`.

    It is https, or plain http to the agent's own machine, absolute, without user and fragment (RFC 6749, section
    3.1.2). Custom app schemes are rejected: any other app on the machine may claim the same one.
    """
    parts = _split_uri(uri)
    if parts is None or not (parts.scheme == "https" or _is_loopback(parts)):
        raise REDIRECT_URI_REFUSED(redirect_uri=uri[:200])


def require_registered_redirect_uri(uri: str, registered: Iterable[str]) -> None:
    """Require a registered redirect address. Raises `REDIRECT_URI_UNKNOWN`.

    It must match exactly; only on the agent's own machine the port may differ (RFC 8252, section 7.3).
    """
    if not any(uri == known_uri or _same_but_port(uri, known_uri) for known_uri in registered):
        raise REDIRECT_URI_UNKNOWN(redirect_uri=uri[:200])


def redirect_host(uri: str) -> str:
    """Return the host of a redirect address, as shown to users."""
    return urlsplit(uri).hostname or ""


def is_loopback_uri(uri: str) -> bool:
    """Return True if the address is on the user's own machine."""
    return redirect_host(uri) in LOOPBACK_HOSTS


def _split_uri(uri: str) -> SplitResult | None:
    if not _PLAIN.fullmatch(uri) or _STRANGE & set(uri) or "#" in uri:
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port  # raises for an invalid port
    except ValueError:
        return None
    return parts if parts.hostname and "@" not in parts.netloc else None


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS


def _same_but_port(uri: str, registered: str) -> bool:
    requested, known = _split_uri(uri), _split_uri(registered)
    if requested is None or known is None or not (_is_loopback(requested) and _is_loopback(known)):
        return False
    return (requested.hostname, requested.path, requested.query) == (known.hostname, known.path, known.query)


AGENT_METADATA_REFUSED = declare_error("agent_metadata_refused", 400)

GRANT_TYPES = ("authorization_code", "refresh_token")
RESPONSE_TYPES = ("code",)


def require_agent_metadata(
    *, redirect_uris: Iterable[str], name: str, uri: str | None, grant_types: list[str], response_types: list[str]
) -> None:
    """Require valid metadata of an agent.

    A name is one line of visible characters, without changes of writing direction. Raises `AGENT_METADATA_REFUSED` or
    `REDIRECT_URI_REFUSED`.
    """
    for redirect_uri in redirect_uris:
        require_redirect_uri(redirect_uri)
    if not name.isprintable() or not name.strip():
        raise AGENT_METADATA_REFUSED(field="client_name")
    if uri is not None and not uri.startswith("https://"):
        raise AGENT_METADATA_REFUSED(field="client_uri")
    if "authorization_code" not in grant_types:
        raise AGENT_METADATA_REFUSED(field="grant_types")
    if "code" not in response_types:
        raise AGENT_METADATA_REFUSED(field="response_types")


def supported_among(requested: list[str], supported: tuple[str, ...]) -> list[str]:
    """Return the requested values that are supported, in their order."""
    return [name for name in supported if name in requested]


AGENT_DOCUMENT_REFUSED = declare_error("agent_document_refused", 400)

DOCUMENT_TTL = timedelta(hours=1)
"""Time for which a document is not fetched again."""

DocumentUri = Annotated[str, Meta(min_length=1, max_length=2000)]


class AgentDocument(Struct, frozen=True):
    """Supported members of an agent's document; others are ignored."""

    client_id: str
    client_name: Annotated[str, Meta(min_length=1, max_length=100)]
    redirect_uris: Annotated[list[DocumentUri], Meta(min_length=1, max_length=10)]
    client_uri: DocumentUri | None = None
    grant_types: list[str] = msgspec.field(default_factory=lambda: list(GRANT_TYPES))
    response_types: list[str] = msgspec.field(default_factory=lambda: list(RESPONSE_TYPES))
    token_endpoint_auth_method: str = "none"
    client_secret: Any = None


def is_document_stale(fetched_at: datetime | None, now: datetime) -> bool:
    """Return True if a document must be fetched again."""
    return fetched_at is None or now - fetched_at > DOCUMENT_TTL


def require_document_url(client_id: str) -> None:
    """Require an unambiguous https address with a path.

    Raises `AGENT_DOCUMENT_REFUSED`.
    """
    try:
        parts = urlsplit(client_id)
        sound = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc and parts.port is None
    except ValueError:
        raise AGENT_DOCUMENT_REFUSED() from None
    dots = {".", ".."} & set(parts.path.split("/"))
    if not sound or parts.path in {"", "/"} or dots or "#" in client_id or "\\" in client_id:
        raise AGENT_DOCUMENT_REFUSED()


def parse_agent_document(client_id: str, document: bytes) -> AgentDocument:
    """Parse a document. Raises `AGENT_DOCUMENT_REFUSED`.

    It must name its own address exactly, and ask for no secret.
    """
    try:
        agent_document = msgspec.json.decode(document, type=AgentDocument)
        require_agent_metadata(
            redirect_uris=agent_document.redirect_uris,
            name=agent_document.client_name,
            uri=agent_document.client_uri,
            grant_types=agent_document.grant_types,
            response_types=agent_document.response_types,
        )
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, OperationError):
        raise AGENT_DOCUMENT_REFUSED() from None
    if (
        agent_document.client_id != client_id
        or agent_document.token_endpoint_auth_method != "none"
        or agent_document.client_secret is not None
    ):
        raise AGENT_DOCUMENT_REFUSED()
    return agent_document


SCOPE_UNKNOWN = declare_error("agent_scope_unknown", 400)
TARGET_UNKNOWN = declare_error("agent_target_unknown", 400)

_KNOWN = {scope.value: scope for scope in Scope}


def parse_requested_scopes(scope: str | None) -> frozenset[Scope]:
    """Parse scopes and profiles separated by spaces; default: the default profile.

    Unknown scopes such as `offline_access` are ignored, as RFC 6749, section 3.3 allows; if nothing else is requested,
    it raises `SCOPE_UNKNOWN`.
    """
    names = (scope or "").split()
    if not names:
        return PROFILES[DEFAULT_PROFILE]
    scopes = {_KNOWN[name] for name in names if name in _KNOWN}
    scopes.update(*(PROFILES[name] for name in names if name in PROFILES))
    if not scopes:
        raise SCOPE_UNKNOWN(scope=scope)
    return frozenset(scopes)


def require_scopes_within(
    chosen: Iterable[Scope], requested: frozenset[Scope], own: frozenset[Scope]
) -> frozenset[Scope]:
    """Require granted scopes within the requested and own ones.

    Raises `SCOPES_EXCEEDED`.
    """
    granted = frozenset(chosen)
    require_scopes_held(granted, requested & own)
    return granted


def server_for_resource(resource: str | None, base_url: str) -> McpServer:
    """Return the server of a resource indicator (RFC 8707), or the first one.

    A query does not distinguish servers. Raises `TARGET_UNKNOWN` for anything else.
    """
    if resource is None:
        return McpServer.USER
    try:
        requested, ours = urlsplit(resource), urlsplit(base_url)
    except ValueError:
        raise TARGET_UNKNOWN(resource=resource[:200]) from None
    same_host = (requested.scheme.lower(), requested.netloc.lower()) == (ours.scheme.lower(), ours.netloc.lower())
    server = SERVER_PATHS.get(requested.path.rstrip("/"))
    if server is None or not same_host or requested.fragment:
        raise TARGET_UNKNOWN(resource=resource[:200])
    return server


def is_write_scope(scope: Scope) -> bool:
    """Return True if a scope allows changes; it is granted only explicitly."""
    return not scope.value.endswith(":read")
