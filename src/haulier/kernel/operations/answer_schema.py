"""JSON Schemas of answers, from the reader's point of view.

msgspec describes accepted input, in which members with a default are optional. An answer always contains every member
that is not `UNSET`, and its reader needs no defaults.
"""

from collections.abc import Iterable, Iterator
from typing import Any, get_type_hints

from msgspec import NODEFAULT, inspect
from msgspec.json import schema_components

from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.ids import reference_note

Schema = dict[str, Any]


def answer_schemas(kinds: Iterable[type[Answer]], ref_template: str) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schemas of answers in order, and their components by name.

    `{name}` in `ref_template` is the name of a component.
    """
    kinds = list(kinds)
    schemas, components = schema_components(kinds, ref_template=ref_template)
    described: dict[str, Schema] = dict(components)
    for record in _records(inspect.multi_type_info(kinds)):
        name = record.cls.__name__
        described[name] = _with_references(_as_read(described[name], record), record)
    return list(schemas), described


def _as_read(schema: Schema, record: inspect.StructType) -> Schema:
    if record.cls.__struct_config__.omit_defaults:
        return schema  # an omitted member has its default
    always = {field.encode_name for field in record.fields if field.required or _has_default(field)}
    properties = {
        name: {key: value for key, value in part.items() if key != "default"}
        for name, part in schema["properties"].items()
    }
    required = [name for name in properties if name in always or name in schema.get("required", ())]
    return {**schema, "properties": properties, "required": required}


def _with_references(schema: Schema, record: inspect.StructType) -> Schema:
    """Add the nouns of id types and the format of moments to a schema."""
    hints = get_type_hints(record.cls, include_extras=True)
    properties = dict(schema["properties"])
    for field in record.fields:
        typed = _with_moments(properties[field.encode_name], field.type)
        properties[field.encode_name] = {**typed, **reference_note(hints[field.name])}
    return {**schema, "properties": properties}


def _with_moments(schema: Schema, kind: inspect.Type) -> Schema:
    """Add `date-time` to moments. msgspec only does so for types with an offset."""
    if isinstance(kind, inspect.Metadata):
        return _with_moments(schema, kind.type)
    if isinstance(kind, inspect.DateTimeType):
        return {**schema, "format": "date-time"}
    if isinstance(kind, inspect.ListType):
        return {**schema, "items": _with_moments(schema["items"], kind.item_type)}
    if isinstance(kind, inspect.DictType) and "additionalProperties" in schema:
        return {**schema, "additionalProperties": _with_moments(schema["additionalProperties"], kind.value_type)}
    if isinstance(kind, inspect.UnionType) and any(isinstance(each, inspect.DateTimeType) for each in kind.types):
        marked = [{**part, "format": "date-time"} if part == {"type": "string"} else part for part in schema["anyOf"]]
        return {**schema, "anyOf": marked}
    return schema


def _has_default(field: inspect.Field) -> bool:
    """Return True if a member has a default. msgspec does not count `UNSET`."""
    return field.default is not NODEFAULT or field.default_factory is not NODEFAULT


def _records(types: Iterable[Any]) -> Iterator[inspect.StructType]:
    """Yield each record type in some types, at any depth, once."""
    waiting, seen = list(types), set[type]()
    while waiting:
        part = waiting.pop()
        if isinstance(part, inspect.StructType):
            if part.cls in seen:
                continue
            seen.add(part.cls)
            yield part
        if isinstance(part, (inspect.Type, inspect.Field)):
            waiting += [getattr(part, name) for name in part.__struct_fields__]
        elif isinstance(part, tuple):
            waiting += part
