"""Conversion of table cells from text to the types of their fields."""

from collections.abc import Mapping
from typing import Any

import msgspec

from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import field_type

_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


def cell_value(part: Mapping[str, Any], text: str) -> Any:
    """Convert a cell to the type in its schema.

    Returns invalid text unchanged, for validation to report.
    """
    match field_type(part):
        case "integer":
            number = cell_number(text, int)
            return text if number is None else number
        case "number":
            number = cell_number(text, float)
            return text if number is None else number
        case "boolean":
            plain = text.lower()
            return True if plain in _TRUE else False if plain in _FALSE else text
        case "array" | "object":
            try:
                return msgspec.json.decode(text)
            except msgspec.DecodeError:
                return text
        case _:
            return text


def lost_digit_errors(rounded: Mapping[str, str]) -> tuple[FieldError, ...]:
    """Return errors for codes whose digits a spreadsheet rounded away, by field."""
    return tuple(FieldError(field, "field.digits_lost", {"number": text}) for field, text in sorted(rounded.items()))


def cell_number(text: str, kind: type[int] | type[float]) -> Any:
    """Return a cell as a number, or None."""
    try:
        number = kind(text)
    except ValueError:
        return None
    return number if abs(number) < 2**63 else None  # excludes infinity and numbers that no database can hold
