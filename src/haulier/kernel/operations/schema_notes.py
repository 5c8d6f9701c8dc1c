"""Schema notes beyond types: nouns that ids refer to, and values of choices."""

from collections.abc import Iterator, Mapping
from typing import Any

from haulier.kernel.operations.ids import NO_NOUN, REFERS_TO
from haulier.kernel.operations.resources import ResourceIndex


def add_reference_notes(document: Any, nouns: ResourceIndex) -> None:
    """Add the noun to each object member and parameter that is an id."""
    for members in _member_groups(document):
        for name, schema in members.items():
            if isinstance(schema, dict):
                key = noun_referred_to(nouns, name, schema)
                for variant in _variants(schema):
                    variant.pop(REFERS_TO, None)
                if key:
                    schema[REFERS_TO] = key


def noun_referred_to(nouns: ResourceIndex, name: str, schema: Mapping[str, Any]) -> str | None:
    """Return the noun of an id by its type or name, or None."""
    marks = [mark for variant in _variants(schema) if isinstance(mark := variant.get(REFERS_TO), str)]
    return nouns.key_referred_to(name) if not marks else marks[0] if marks[0] != NO_NOUN else None


def _variants(schema: Any) -> Iterator[Any]:
    """Yield a field's schema, its alternatives and its list items."""
    if isinstance(schema, dict):
        yield schema
        for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), schema.get("items")):
            yield from _variants(part)


def choices_in(document: Any) -> Iterator[str]:
    """Yield every text value of the enums in a schema."""
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
