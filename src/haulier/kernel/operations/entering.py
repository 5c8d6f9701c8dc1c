"""Validation context that distinguishes new values from stored ones."""

from typing import Any

from pydantic import ValidationInfo

ENTERING: dict[str, Any] = {"entering": True}
"""Pass this as `context` when reading requests and imported rows.

Stricter rules apply to new values only, so that stored documents stay readable.
"""


def is_entering(info: ValidationInfo) -> bool:
    """Return True if the value comes from a request or an imported row."""
    return bool(info.context) and bool(info.context.get("entering"))
