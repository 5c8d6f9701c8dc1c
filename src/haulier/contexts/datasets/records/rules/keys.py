"""What tells a record of a dataset from the others."""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.values.sort_keys import PRESENT, sort_key

MAX_RECORD_KEY = 200


def record_key(part: Mapping[str, Any], value: Any) -> str | None:
    """The key that tells a record from others: a text as it stands, a number as it sorts. None for no such value."""
    if isinstance(value, str):
        return f"{PRESENT}{value}" if len(value) <= MAX_RECORD_KEY else None
    return sort_key(part, value)
