"""Values that a record must have for a write to be accepted."""

from collections.abc import Mapping
from typing import Any

Wanted = str | bool | None | frozenset[str]


def says_all(record: Mapping[str, Any], wanted: Mapping[str, Wanted]) -> bool:
    """Return True if a record has the wanted values.

    Lists need one match; missing members are ignored.
    """
    return all(_is_said(record[member], value) for member, value in wanted.items() if member in record)


def _is_said(said: Any, wanted: Wanted) -> bool:
    options = wanted if isinstance(wanted, frozenset) else {wanted}
    return not options.isdisjoint(said) if isinstance(said, list) else said in options
