"""What a waiting write would do, as a line that names the records: "Hold an order: DEMO-0056, 5100 Yonge St"."""

from collections.abc import Mapping
from typing import Any

_NAMING_FIELDS = ("order_ref", "tracking_number", "name", "address")
"""What people call a record, the most telling first."""
MAX_NAMED_RECORDS = 3
MAX_SENTENCE_LENGTH = 200


def describe_write(title: str, answer: Mapping[str, Any]) -> str:
    """The title of a write, and what it is about by what it would answer; the title alone where that names nothing."""
    records = _records(answer)
    names = [name for name in map(_record_name, records[:MAX_NAMED_RECORDS]) if name]
    if not names:
        return title
    more = f" and {len(records) - len(names)} more" if len(records) > len(names) else ""
    return f"{title}: {'; '.join(names)}{more}"[:MAX_SENTENCE_LENGTH]


def _records(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The record of an answer, or its first list of records."""
    for member in answer.values():
        if isinstance(member, Mapping):
            return [member]
        if isinstance(member, list) and member and isinstance(member[0], Mapping):
            return member
    return []


def _record_name(record: Mapping[str, Any]) -> str:
    words = [text for field in _NAMING_FIELDS if isinstance(text := record.get(field), str) and text]
    if not words and isinstance(number := record.get("id"), int):
        words = [f"#{number}"]
    return ", ".join(words)
