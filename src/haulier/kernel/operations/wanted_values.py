"""Values that a record must have for a write to be accepted."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal


class Presence(Enum):
    """Stands for any value but none, an empty list or zero."""

    PRESENT = "present"


PRESENT: Literal[Presence.PRESENT] = Presence.PRESENT
Wanted = str | bool | None | frozenset[str] | Presence


def says_all(record: Mapping[str, Any], wanted: Mapping[str, Wanted]) -> bool:
    """Return True if a record has the wanted values.

    Lists need one match; missing members are ignored.
    """
    return all(_is_said(record[member], value) for member, value in wanted.items() if member in record)


def describe_wanted(wanted: Wanted) -> Any:
    """Return wanted values as JSON: a value, a list of values, or `{"present": true}`."""
    if isinstance(wanted, Presence):
        return {wanted.value: True}
    return sorted(wanted) if isinstance(wanted, frozenset) else wanted


def _is_said(said: Any, wanted: Wanted) -> bool:
    if isinstance(wanted, Presence):
        return bool(said)
    options = wanted if isinstance(wanted, frozenset) else {wanted}
    return not options.isdisjoint(said) if isinstance(said, list) else said in options
