"""Sort keys: texts that sort as the values of a field do, the same on every database, so that one index serves any field."""

import hashlib
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from haulier.kernel.operations.json_schemas import field_type
from haulier.kernel.values.words import fold

MISSING = "1"
"""The key of a record without a value: it sorts last."""
MAX_KEY_TEXT = 100
"""Longer texts are told apart by a digest of the whole, and sort by their beginning."""
LAST = "\U0010ffff"
PRESENT = "0"
_SIGN_BIT = 1 << 63


def sort_key(part: Mapping[str, Any], value: Any) -> str | None:
    """The key of a value of a field that `part` of a schema describes; None for a value that is not of the field's type."""
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
    """The key of a text: in lower case and without accents; that of a moment is its moment, whatever its offset."""
    text = _moment(value) if part.get("format") == "date-time" else fold(value)
    if len(text) > MAX_KEY_TEXT:
        text = text[:MAX_KEY_TEXT] + hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return f"{PRESENT}{text}"


def _moment(value: str) -> str:
    try:
        return datetime.fromisoformat(value).astimezone(UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):
        return fold(value)
