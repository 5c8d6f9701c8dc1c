"""Which metadata of an agent is accepted."""

from collections.abc import Iterable

from haulier.contexts.oauth.grants.rules.redirect_uris import require_redirect_uri
from haulier.kernel.operations.errors import declare_error

AGENT_METADATA_REFUSED = declare_error("agent_metadata_refused", 400)

GRANT_TYPES = ("authorization_code", "refresh_token")
RESPONSE_TYPES = ("code",)


def require_agent_metadata(
    *, redirect_uris: Iterable[str], name: str, uri: str | None, grant_types: list[str], response_types: list[str]
) -> None:
    """What it says can be kept and shown to people. Raises `AGENT_METADATA_REFUSED` or `REDIRECT_URI_REFUSED`.

    A name is one line of visible signs: nothing that turns the direction of writing or hides what follows.
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
    """The requested values that are supported, in the order of the supported ones."""
    return [name for name in supported if name in requested]
