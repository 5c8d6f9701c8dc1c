"""The pydantic validation context of values that enter the product, as opposed to stored ones that are read back."""

from typing import Any

from pydantic import ValidationInfo

ENTERING: dict[str, Any] = {"entering": True}
"""Passed as `context` by what reads requests and imported rows.

Rules that became stricter apply to these values alone, so that documents stored under the earlier rule stay readable.
"""


def is_entering(info: ValidationInfo) -> bool:
    """Return True if the value comes from a request or an imported row."""
    return bool(info.context) and bool(info.context.get("entering"))
