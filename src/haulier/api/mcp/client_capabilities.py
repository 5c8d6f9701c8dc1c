"""Client capabilities, sent in each message of the newer protocol versions."""

from collections.abc import Mapping
from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY

TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
"""Extension for long-running work."""


def client_capabilities(params: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the capabilities in a message.

    Handshake versions have none here, because the server stores no sessions.
    """
    meta = (params or {}).get("_meta")
    capabilities = meta.get(CLIENT_CAPABILITIES_META_KEY) if isinstance(meta, Mapping) else None
    return capabilities if isinstance(capabilities, Mapping) else {}


def supports_elicitation(params: Mapping[str, Any] | None) -> bool:
    """Return True if the client can show a form. A bare `elicitation` means forms."""
    elicitation = client_capabilities(params).get("elicitation")
    return isinstance(elicitation, Mapping) and ("form" in elicitation or "url" not in elicitation)


def supports_tasks(params: Mapping[str, Any] | None) -> bool:
    """Return True if the client accepts a task instead of a result."""
    extensions = client_capabilities(params).get("extensions")
    return isinstance(extensions, Mapping) and TASKS_EXTENSION in extensions
