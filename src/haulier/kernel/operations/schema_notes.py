"""What the registry knows of fields beyond their types: which noun an id refers to, and which values choices have."""

from collections.abc import Iterator, Mapping
from typing import Any

from haulier.kernel.operations.nouns import Nouns

REFERS_TO = "x-refers-to"
Schema = Mapping[str, Any]


def note_references(document: Any, nouns: Nouns) -> None:
    """Write at each member of each object of a JSON Schema that is an id which noun it refers to, and at each parameter."""
    for members in _member_groups(document):
        for name, schema in members.items():
            if isinstance(schema, dict) and (key := nouns.key_referred_to(name)):
                schema[REFERS_TO] = key


def choices_in(document: Any) -> Iterator[str]:
    """Every text that a schema offers as a choice."""
    for part in _parts(document):
        values = part.get("enum")
        if isinstance(values, list):
            yield from (value for value in values if isinstance(value, str))


def _member_groups(document: Any) -> Iterator[dict[str, Any]]:
    for part in _parts(document):
        properties = part.get("properties")
        if isinstance(properties, dict):
            yield properties
        if part.get("in") in {"path", "query"} and "schema" in part:
            yield {part["name"]: part["schema"]}


def _parts(document: Any) -> Iterator[dict[str, Any]]:
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
