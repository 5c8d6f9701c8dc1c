"""What the record that a write is about must say for the write to be accepted: a value of a member, or one of a set."""

from collections.abc import Mapping
from typing import Any

Wanted = str | bool | None | frozenset[str]


def says_all(record: Mapping[str, Any], wanted: Mapping[str, Wanted]) -> bool:
    """Whether a record says what is wanted; of a list one value must be in it, and what it does not say forbids nothing."""
    return all(_is_said(record[member], value) for member, value in wanted.items() if member in record)


def _is_said(said: Any, wanted: Wanted) -> bool:
    options = wanted if isinstance(wanted, frozenset) else {wanted}
    return not options.isdisjoint(said) if isinstance(said, list) else said in options
