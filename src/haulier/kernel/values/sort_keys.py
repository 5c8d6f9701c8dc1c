"""Sort keys: text that sorts like the values of a field on every database.

One index can therefore serve all fields.
"""

import hashlib
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from haulier.kernel.operations.json_schemas import field_type
from haulier.kernel.values.words import fold

MISSING = "1"
"""Key of a record without a value. It sorts last."""
MAX_KEY_TEXT = 100
"""Longer text sorts by its beginning and is distinguished by a digest."""
LAST = "\U0010ffff"
PRESENT = "0"
_SIGN_BIT = 1 << 63


def sort_key(part: Mapping[str, Any], value: Any) -> str | None:
    """Return the sort key of a value, or None if it has the wrong type.

    `part` is the schema of the field.
    """
    if value is None:
        return MISSING
    match field_type(part):
        case "integer" | "number":
            return _number_key(value)
        case "boolean":
            return f"{PRESENT}{int(value)}" if isinstance(value, bool) else None
        case _:
            return text_key(part, value) if isinstance(value, str) else None


def _number_key(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))
    except OverflowError:
        return None
    return f"{PRESENT}{bits ^ (_SIGN_BIT if bits < _SIGN_BIT else 2 * _SIGN_BIT - 1):016x}"


def text_key(part: Mapping[str, Any], value: str) -> str:
    """Return the sort key of a text: folded, or normalized to UTC if it is a moment."""
    text = _moment(value) if part.get("format") == "date-time" else fold(value)
    if len(text) > MAX_KEY_TEXT:
        text = text[:MAX_KEY_TEXT] + hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return f"{PRESENT}{text}"


def _moment(value: str) -> str:
    try:
        return datetime.fromisoformat(value).astimezone(UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):
        return fold(value)
