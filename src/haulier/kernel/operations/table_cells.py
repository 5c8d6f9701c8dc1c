"""Cells of tables are texts: each becomes what its field is."""

from collections.abc import Mapping
from typing import Any

import msgspec

from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import field_type

_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


def cell_value(part: Mapping[str, Any], text: str) -> Any:
    """A cell as the type that a schema says; as it stands where it is none, so that whoever judges it says what is wrong."""
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
    """Return the errors of codes whose digits a spreadsheet has rounded away, given by field."""
    return tuple(FieldError(field, "field.digits_lost", {"number": text}) for field, text in sorted(rounded.items()))


def cell_number(text: str, kind: type[int] | type[float]) -> Any:
    """A cell as a number; None where it is none."""
    try:
        number = kind(text)
    except ValueError:
        return None
    return number if abs(number) < 2**63 else None  # neither infinity nor what no database holds
