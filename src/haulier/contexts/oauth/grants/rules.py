"""An agent whose `client_id` is the address of a document about it (OAuth Client ID Metadata Document)."""

from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from haulier.contexts.oauth.grants.rules.agent_metadata import GRANT_TYPES, RESPONSE_TYPES, require_agent_metadata
from haulier.kernel.operations.errors import OperationError, declare_error

AGENT_DOCUMENT_REFUSED = declare_error("agent_document_refused", 400)

DOCUMENT_TTL = timedelta(hours=1)
"""So long a document is not fetched again."""

DocumentUri = Annotated[str, Meta(min_length=1, max_length=2000)]


class AgentDocument(Struct, frozen=True):
    """What a document says about its agent; other members mean nothing here."""

    client_id: str
    client_name: Annotated[str, Meta(min_length=1, max_length=100)]
    redirect_uris: Annotated[list[DocumentUri], Meta(min_length=1, max_length=10)]
    client_uri: DocumentUri | None = None
    grant_types: list[str] = msgspec.field(default_factory=lambda: list(GRANT_TYPES))
    response_types: list[str] = msgspec.field(default_factory=lambda: list(RESPONSE_TYPES))
    token_endpoint_auth_method: str = "none"
    client_secret: Any = None


def is_document_stale(fetched_at: datetime | None, now: datetime) -> bool:
    """Whether a document has to be fetched again."""
    return fetched_at is None or now - fetched_at > DOCUMENT_TTL


def require_document_url(client_id: str) -> None:
    """The address can be one of a document: https, a path, nothing that two readers read differently.

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
    """What a document says. It must name its own address, character by character, and ask for no secret.

    Raises `AGENT_DOCUMENT_REFUSED`.
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
