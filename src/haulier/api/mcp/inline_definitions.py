"""Definitions that are used once, written in place of their reference.

A definition that is used more than once, or contains itself, stays. Description, examples and default of the field win over
those of the definition.
"""

# Why: names and references are words that agents pay for in every list of tools (see compact_schema).

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

Schema = dict[str, Any]
DEFINITIONS_PREFIX = "#/$defs/"


def inline_definitions(schema: Schema) -> Schema:
    """The same schema with every definition inlined that is used once. The definitions of `schema` are at its root."""
    definitions: dict[str, Schema] = schema.get("$defs", {})
    used = Counter(_referenced_definitions(schema))
    once = {name for name in definitions if used[name] == 1 and name not in _reachable_definitions(name, definitions)}
    without_definitions = {name: part for name, part in schema.items() if name != "$defs"}
    inlined: Schema = _with_inlined_references(without_definitions, definitions, once)
    remaining = {
        name: _with_inlined_references(part, definitions, once)
        for name, part in definitions.items()
        if name not in once
    }
    return {**inlined, "$defs": remaining} if remaining else inlined


def inline_every_definition(schema: Schema) -> Schema:
    """The same schema without references; a definition that contains itself is any object there."""
    definitions: dict[str, Schema] = schema.get("$defs", {})
    without_definitions = {key: part for key, part in schema.items() if key != "$defs"}
    return _with_inlined_references(without_definitions, definitions, definitions.keys())


def _referenced_definitions(schema: Any) -> Iterator[str]:
    """The name of every definition that is referred to, once for each reference."""
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
    """The definitions that one refers to, directly or not; itself only where it contains itself."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(_referenced_definitions(definitions[waiting.pop()])) - reached
        reached |= new
        waiting += new
    return reached


def _with_inlined_references(
    schema: Any, definitions: dict[str, Schema], inlined: Collection[str], inside: tuple[str, ...] = ()
) -> Any:
    """The same schema with some definitions in place of their references; `inside` are those that it is itself a part of."""
    if isinstance(schema, list):
        parts: list[Any] = schema
        return [_with_inlined_references(part, definitions, inlined, inside) for part in parts]
    if not isinstance(schema, dict):
        return schema
    members: Schema = schema
    reference = members.get("$ref")
    name = reference.removeprefix(DEFINITIONS_PREFIX) if isinstance(reference, str) else ""
    if name in inlined:
        around = {key: part for key, part in members.items() if key != "$ref"}
        if name in inside:
            return {"type": "object", **around}
        members, inside = {**definitions[name], **around}, (*inside, name)
    return {key: _with_inlined_references(part, definitions, inlined, inside) for key, part in members.items()}
