"""Compact tool arguments, with each shape described only once per list.

A shape or argument is described at the first tool that takes it. Uncommon bounds are omitted because the server
validates them and names the field, as are bounds and examples of an argument whose description is enough. Within a
shape, all bounds and examples are omitted. References and type lists are avoided because some hosts don't pass them to
the model. `describe_operation` returns the full schema.
"""

# Eight tools take a parcel with sender, recipient and goods, which made up a third of a list.

import itertools
from collections.abc import Iterator, Mapping
from hashlib import blake2s
from typing import Any

from haulier.api.mcp.inline_definitions import inline_every_definition
from haulier.kernel.operations import codec
from haulier.kernel.operations.fields import OWN_FIELDS_OF

Schema = dict[str, Any]
TOLD_ONCE_MEMBERS = 3
"""Objects with at least this many members are shapes."""
TOLD_ONCE_CHOICES = 8
"""Choices with at least this many values are shapes."""
SILENT_BOUNDS = frozenset(
    {"maxItems", "maxLength", "minLength", "pattern", "maxProperties", "propertyNames", "patternProperties"}
)
SILENT = SILENT_BOUNDS | {OWN_FIELDS_OF}
"""The description of an object names the record whose custom fields it takes."""
LARGE = 100_000
"""Maximums from this value on are storage limits and are omitted."""


def listed_arguments(schema: Schema) -> Schema:
    """Return the arguments of a tool without references and obvious bounds."""
    listed = _without_silent_bounds(_without_type_lists(inline_every_definition(schema)), depth=0)
    return {**listed, "type": "object", "properties": listed.get("properties", {})}


def shapes_of(schema: Schema) -> frozenset[str]:
    """Return the keys of the shapes and arguments of a tool."""
    shapes = (_shape_key(part) for part in _parts(schema) if _is_shape(part))
    return frozenset((*shapes, *itertools.starmap(_argument_key, schema["properties"].items())))


def deduplicate_schemas(schema: Schema, told: Mapping[str, str]) -> Schema:
    """Outline the shapes and arguments that an earlier tool describes.

    The mapping has the name of that tool by key.
    """
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
    """Return an outline of a shape that is described elsewhere.

    It has the field's description, the location of the full schema, and the required members.
    """
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
    """Yield every nested schema."""
    members: Iterator[Any] = iter(schema.values() if isinstance(schema, dict) else schema)
    for part in members:
        if isinstance(part, dict):
            yield part
        if isinstance(part, dict | list):
            yield from _parts(part)


def _is_shape(schema: Schema) -> bool:
    """Return True for an object with several members or a choice of many values."""
    return (schema.get("type") == "object" and len(schema.get("properties", ())) >= TOLD_ONCE_MEMBERS) or len(
        schema.get("enum", ())
    ) >= TOLD_ONCE_CHOICES


def _argument_key(name: str, schema: Schema) -> str:
    """Return the key of an argument, from its name and schema."""
    return blake2s(codec.encode_json([name, schema]), digest_size=8).hexdigest()


def _shape_key(schema: Schema) -> str:
    """Return the key of a shape, ignoring the description of the field."""
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
            return depth > 1 or value >= LARGE or ("description" in schema and "default" not in schema)
        case "default":
            return value is False or isinstance(value, list | dict)
        case "examples":
            return depth > 1 or schema.get("type") != "string" or "description" in schema
        case _:
            return key in SILENT


def _without_type_lists(part: Any) -> Any:
    """Replace type lists with `anyOf`."""
    if isinstance(part, list):
        return [_without_type_lists(each) for each in part]
    if not isinstance(part, dict):
        return part
    schema: Schema = {key: _without_type_lists(value) for key, value in part.items()}
    if isinstance(types := schema.get("type"), list) and all(isinstance(each, str) for each in types):
        return {"anyOf": [{"type": each} for each in types], **{k: v for k, v in schema.items() if k != "type"}}
    return schema
