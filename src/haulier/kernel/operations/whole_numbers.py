"""Integers sent as `1.0` by callers that store numbers as doubles.

JSON Schema accepts them.

They are only converted after strict validation failed, so ordinary requests pay nothing.
"""

from collections.abc import Iterable
from typing import Any

from pydantic_core import ErrorDetails, from_json

from haulier.kernel.operations.fields import ID_MAX

_FAULTS_OF_INTEGERS = {"int_type", "int_from_float", "enum", "literal_error"}


def with_whole_numbers(body: bytes, faults: Iterable[ErrorDetails]) -> Any:
    """Return the document with `1.0` replaced by integers, or None if unchanged.

    Replaces only the values at the given faults.
    """
    places = [fault["loc"] for fault in faults if fault["type"] in _FAULTS_OF_INTEGERS]
    if not places:
        return None
    document = {"": from_json(body)}
    mended = [_make_whole(document, ("", *place)) for place in places]
    return document[""] if any(mended) else None


def _make_whole(document: Any, place: tuple[int | str, ...]) -> bool:
    """Replace the number at a place and return True if there was one.

    The rest of the place is a union branch.
    """
    parent = document
    for key in place:
        value = _member(parent, key)
        if isinstance(value, float):
            whole = value.is_integer() and abs(value) <= ID_MAX
            if whole:
                parent[key] = int(value)
            return whole
        parent = value
    return False


def _member(parent: Any, key: int | str) -> Any:
    try:
        return parent[key]
    except (KeyError, IndexError, TypeError):
        return None
