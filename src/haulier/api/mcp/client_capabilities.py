"""What the client of a message can do, as it says in every message of the newer protocol versions."""

from collections.abc import Mapping
from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY

TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
"""The extension for long work."""


def client_capabilities(params: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The capabilities in a message; none in one of the handshake versions, which no session remembers here."""
    meta = (params or {}).get("_meta")
    capabilities = meta.get(CLIENT_CAPABILITIES_META_KEY) if isinstance(meta, Mapping) else None
    return capabilities if isinstance(capabilities, Mapping) else {}


def supports_elicitation(params: Mapping[str, Any] | None) -> bool:
    """Whether the client can put a form before a person. A bare `elicitation` means forms."""
    elicitation = client_capabilities(params).get("elicitation")
    return isinstance(elicitation, Mapping) and ("form" in elicitation or "url" not in elicitation)


def supports_tasks(params: Mapping[str, Any] | None) -> bool:
    """Whether the client takes a task instead of a result."""
    extensions = client_capabilities(params).get("extensions")
    return isinstance(extensions, Mapping) and TASKS_EXTENSION in extensions
