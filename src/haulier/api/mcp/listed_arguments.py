"""The arguments of tools as a list tells them: what an argument or a shape means is told once, at the first tool that takes it.

Left out besides: bounds that nobody meets by chance, for the server checks them and names the field, and within a shape all
bounds and examples. Nothing is a reference or a list of types, which not every host hands on to its model.
`describe_operation` tells all.
"""

# Why: eight tools take a parcel with its sender, recipient and goods; told in full at each, they were a third of a list.

import itertools
from collections.abc import Iterator, Mapping
from hashlib import blake2s
from typing import Any

from haulier.api.mcp.inline_definitions import inline_every_definition
from haulier.kernel.operations import codec
from haulier.kernel.operations.fields import OWN_FIELDS_OF

Schema = dict[str, Any]
TOLD_ONCE_MEMBERS = 3
"""Objects with at least so many members are shapes."""
TOLD_ONCE_CHOICES = 8
"""So are choices between at least so many values."""
SILENT_BOUNDS = frozenset({"maxLength", "minLength", "pattern", "maxProperties", "propertyNames", "patternProperties"})
SILENT = SILENT_BOUNDS | {OWN_FIELDS_OF}
"""Whose own fields an object takes is in its description."""
LARGE = 100_000
"""Greatest numbers from here on are limits of storage."""


def listed_arguments(schema: Schema) -> Schema:
    """The arguments of a tool without references and without bounds that go without saying."""
    listed = _without_silent_bounds(_without_type_lists(inline_every_definition(schema)), depth=0)
    return {**listed, "type": "object", "properties": listed.get("properties", {})}


def shapes_of(schema: Schema) -> frozenset[str]:
    """What stands for each shape in the arguments of a tool, and for each argument."""
    shapes = (_shape_key(part) for part in _parts(schema) if _is_shape(part))
    return frozenset((*shapes, *itertools.starmap(_argument_key, schema["properties"].items())))


def deduplicate_schemas(schema: Schema, told: Mapping[str, str]) -> Schema:
    """The arguments with everything told once, and not at all where a tool before told it; `told` gives their names."""
    here = dict(told)
    arguments = {name: _outline_once(part, here) for name, part in schema["properties"].items()}
    for name, part in schema["properties"].items():
        if _argument_key(name, part) in told and not _is_shape(part):
            arguments[name] = _without_meaning(arguments[name])
    return {**schema, "properties": arguments}


def _without_meaning(schema: Schema) -> Schema:
    return {key: part for key, part in schema.items() if key not in {"description", "examples"}}


def _outline_once(part: Any, told: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [_outline_once(each, told) for each in part]
    if not isinstance(part, dict):
        return part
    schema: Schema = part
    if _is_shape(schema):
        key = _shape_key(schema)
        if key in told:
            return _outline(schema, told[key])
        told[key] = ""
    return {
        key: {name: _outline_once(member, told) for name, member in value.items()}
        if key == "properties"
        else _outline_once(value, told)
        for key, value in schema.items()
    }


def _outline(schema: Schema, teller: str) -> Schema:
    """A shape that was told already: what the field says of it, where it is told, and the members that must be there."""
    kind = "One of those listed" if "enum" in schema else "Members as"
    where = f"{kind} at `{teller}`." if teller else f"{kind} above."
    needed = {name: _type_alone(schema["properties"][name]) for name in schema.get("required", ())}
    return {
        "type": "string" if "enum" in schema else "object",
        "description": f"{schema.get('description', '')} {where}".strip(),
        **({"properties": needed, "required": schema["required"]} if needed else {}),
    }


def _type_alone(schema: Schema) -> Schema:
    return {key: schema[key] for key in ("type", "enum", "format") if key in schema}


def _parts(schema: Any) -> Iterator[Schema]:
    """Every schema below one."""
    members: Iterator[Any] = iter(schema.values() if isinstance(schema, dict) else schema)
    for part in members:
        if isinstance(part, dict):
            yield part
        if isinstance(part, dict | list):
            yield from _parts(part)


def _is_shape(schema: Schema) -> bool:
    """Whether a schema is told once: an object with some members, or a choice of many values."""
    return (schema.get("type") == "object" and len(schema.get("properties", ())) >= TOLD_ONCE_MEMBERS) or len(
        schema.get("enum", ())
    ) >= TOLD_ONCE_CHOICES


def _argument_key(name: str, schema: Schema) -> str:
    """What stands for an argument of this name and meaning."""
    return blake2s(codec.encode_json([name, schema]), digest_size=8).hexdigest()


def _shape_key(schema: Schema) -> str:
    """What stands for a shape, whatever a field says about it: equal ones have equal keys."""
    shape = {key: schema[key] for key in ("type", "properties", "required", "enum") if key in schema}
    return blake2s(codec.encode_json(shape), digest_size=8).hexdigest()


def _without_silent_bounds(schema: Schema, depth: int) -> Schema:
    kept = {key: value for key, value in schema.items() if not _goes_without_saying(schema, key, value, depth)}
    for key in ("items", "additionalProperties"):
        if isinstance(kept.get(key), dict):
            kept[key] = _without_silent_bounds(kept[key], depth)
    if "properties" in kept:
        kept["properties"] = {
            name: _without_silent_bounds(part, depth + 1) for name, part in kept["properties"].items()
        }
    if "anyOf" in kept:
        kept["anyOf"] = [_without_silent_bounds(part, depth) for part in kept["anyOf"]]
    return kept


def _goes_without_saying(schema: Schema, key: str, value: Any, depth: int) -> bool:
    match key:
        case "additionalProperties":
            return value is False
        case "minimum" | "exclusiveMinimum" | "minItems":
            return depth > 1 or value in {0, 1}
        case "maximum":
            return depth > 1 or value >= LARGE
        case "default":
            return value is False or isinstance(value, list | dict)
        case "examples":
            return depth > 1 or schema.get("type") != "string"
        case _:
            return key in SILENT


def _without_type_lists(part: Any) -> Any:
    """The same schema with a choice of schemas where one has several types."""
    if isinstance(part, list):
        return [_without_type_lists(each) for each in part]
    if not isinstance(part, dict):
        return part
    schema: Schema = {key: _without_type_lists(value) for key, value in part.items()}
    if isinstance(types := schema.get("type"), list) and all(isinstance(each, str) for each in types):
        return {"anyOf": [{"type": each} for each in types], **{k: v for k, v in schema.items() if k != "type"}}
    return schema
