"""An agent whose `client_id` is the address of a document about it (OAuth Client ID Metadata Document)."""

from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from haulier.contexts.access.authorisation.rules.registration import GRANT_TYPES, RESPONSE_TYPES, demand_metadata
from haulier.kernel.errors import Refusal, problem

AGENT_DOCUMENT_REFUSED = problem("agent_document_refused", 400)

KEPT = timedelta(hours=1)
"""So long a document is not fetched again."""

Uri = Annotated[str, Meta(min_length=1, max_length=2000)]


class Said(Struct, frozen=True):
    """What a document says about its agent; other members mean nothing here."""

    client_id: str
    client_name: Annotated[str, Meta(min_length=1, max_length=100)]
    redirect_uris: Annotated[list[Uri], Meta(min_length=1, max_length=10)]
    client_uri: Uri | None = None
    grant_types: list[str] = msgspec.field(default_factory=lambda: list(GRANT_TYPES))
    response_types: list[str] = msgspec.field(default_factory=lambda: list(RESPONSE_TYPES))
    token_endpoint_auth_method: str = "none"
    client_secret: Any = None


def is_stale(fetched_at: datetime | None, now: datetime) -> bool:
    """Whether a document has to be fetched again."""
    return fetched_at is None or now - fetched_at > KEPT


def demand_document_address(client_id: str) -> None:
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


def read_document(client_id: str, document: bytes) -> Said:
    """What a document says. It must name its own address, letter by letter, and ask for no secret.

    Raises `AGENT_DOCUMENT_REFUSED`.
    """
    try:
        said = msgspec.json.decode(document, type=Said)
        demand_metadata(
            redirect_uris=said.redirect_uris,
            name=said.client_name,
            uri=said.client_uri,
            grant_types=said.grant_types,
            response_types=said.response_types,
        )
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, Refusal):
        raise AGENT_DOCUMENT_REFUSED() from None
    if said.client_id != client_id or said.token_endpoint_auth_method != "none" or said.client_secret is not None:
        raise AGENT_DOCUMENT_REFUSED()
    return said
