"""Definitions that are used once, said in place: a schema reads straight on, and neither name nor reference is paid for.

What is used more than once, or contains itself, stays a definition. Where a field says in its own words what it holds, those
count, and the words of the definition go; so do its examples and default where the field has its own.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
DEFINITIONS_PREFIX = "#/$defs/"


def inline_definitions(schema: Schema) -> Schema:
    """The same schema with every definition in place that is used once. Its definitions stand at the root."""
    definitions: dict[str, Schema] = schema.get("$defs", {})
    used = Counter(_referenced_definitions(schema))
    once = {name for name in definitions if used[name] == 1 and name not in _reachable_definitions(name, definitions)}
    kept = {name: part for name, part in schema.items() if name != "$defs"}
    whole: Schema = _with_inlined_references(kept, definitions, once)
    left = {
        name: _with_inlined_references(part, definitions, once)
        for name, part in definitions.items()
        if name not in once
    }
    return {**whole, "$defs": left} if left else whole


def _referenced_definitions(schema: Any) -> Iterator[str]:
    """The name of every definition that is referred to, as often as it is."""
    if isinstance(schema, dict):
        members: Schema = schema
        if isinstance(reference := members.get("$ref"), str):
            yield reference.removeprefix(DEFINITIONS_PREFIX)
        for part in members.values():
            yield from _referenced_definitions(part)
    elif isinstance(schema, list):
        parts: list[Any] = schema
        for part in parts:
            yield from _referenced_definitions(part)


def _reachable_definitions(name: str, definitions: dict[str, Schema]) -> set[str]:
    """The definitions that one leads to, itself only where it contains itself."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(_referenced_definitions(definitions[waiting.pop()])) - found
        found |= new
        waiting += new
    return found


def _with_inlined_references(schema: Any, definitions: dict[str, Schema], once: set[str]) -> Any:
    if isinstance(schema, list):
        parts: list[Any] = schema
        return [_with_inlined_references(part, definitions, once) for part in parts]
    if not isinstance(schema, dict):
        return schema
    members: Schema = schema
    reference = members.get("$ref")
    name = reference.removeprefix(DEFINITIONS_PREFIX) if isinstance(reference, str) else ""
    if name in once:
        members = {**definitions[name], **{key: part for key, part in members.items() if key != "$ref"}}
    return {key: _with_inlined_references(part, definitions, once) for key, part in members.items()}
