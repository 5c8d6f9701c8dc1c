"""Whole numbers that were sent as `1.0`, by callers that keep numbers as doubles: JSON Schema counts them as integers.

They are looked for only after the strict reading of JSON refused a request, so that it costs ordinary requests nothing.
"""

from collections.abc import Iterable
from typing import Any

from pydantic_core import ErrorDetails, from_json

from haulier.kernel.operations.fields import ID_MAX

_FAULTS_OF_INTEGERS = {"int_type", "int_from_float", "enum", "literal_error"}


def with_whole_numbers(body: bytes, faults: Iterable[ErrorDetails]) -> Any:
    """The document in which integers stand where `1.0` did at a fault; None where there is no such number."""
    places = [fault["loc"] for fault in faults if fault["type"] in _FAULTS_OF_INTEGERS]
    if not places:
        return None
    document = {"": from_json(body)}
    mended = [_make_whole(document, ("", *place)) for place in places]
    return document[""] if any(mended) else None


def _make_whole(document: Any, place: tuple[int | str, ...]) -> bool:
    """Replace the number at a place; what follows it in the place is a branch of a union. Returns whether there was one."""
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
