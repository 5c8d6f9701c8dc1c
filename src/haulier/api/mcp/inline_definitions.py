"""Inlining of schema definitions that are used once.

Definitions that are recursive or used more than once stay. Description, examples and default of the field take
precedence over those of the definition.
"""

# Agents pay for names and references in every tool list (see compact_schema).

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

Schema = dict[str, Any]
DEFINITIONS_PREFIX = "#/$defs/"


def inline_definitions(schema: Schema) -> Schema:
    """Inline the definitions that are used once. `$defs` is at the root of `schema`."""
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
    """Inline all definitions. A recursive reference becomes a plain object."""
    definitions: dict[str, Schema] = schema.get("$defs", {})
    without_definitions = {key: part for key, part in schema.items() if key != "$defs"}
    return _with_inlined_references(without_definitions, definitions, definitions.keys())


def _referenced_definitions(schema: Any) -> Iterator[str]:
    """Yield the name of each referenced definition, once per reference."""
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
    """Return the definitions that one refers to, directly or indirectly.

    A definition includes itself only if it is recursive.
    """
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
    """Replace references with `inlined` definitions. `inside` are the enclosing ones."""
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
