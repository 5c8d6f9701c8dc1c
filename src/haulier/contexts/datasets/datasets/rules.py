"""Which schemas of records are taken, and what they say of a field: a JSON Schema (2020-12) of one flat object."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import (
    SCALARS,
    CompiledSchema,
    Schema,
    field_type,
    meta_faults,
    reference_faults,
)

MAX_SCHEMA_BYTES = 32_768
MAX_FIELDS = 100
MAX_FIELD_NAME = 64
MAX_INDEXED_FIELDS = 8
MAX_VALUES_BYTES = 16_384
"""The largest record, as JSON."""


def schema_faults(schema: Schema, field: str) -> list[FieldError]:
    """What is wrong with a schema that stands in a field of a request; empty when it is taken."""
    if len(msgspec.json.encode(schema)) > MAX_SCHEMA_BYTES:
        return [FieldError(field, "field.schema_too_large", {"most": MAX_SCHEMA_BYTES})]
    return [*_fields_faults(schema, field), *reference_faults(schema, field)] or meta_faults(schema, field)


def _fields_faults(schema: Schema, field: str) -> Iterator[FieldError]:
    if schema.get("type") != "object":
        yield FieldError(f"{field}.type", "field.schema_is_no_object")
    fields = schema.get("properties")
    if not isinstance(fields, dict) or not 1 <= len(fields) <= MAX_FIELDS:
        yield FieldError(f"{field}.properties", "field.schema_fields", {"most": MAX_FIELDS})
        return
    for name in fields:
        if not (name.strip() == name and name.isprintable() and 1 <= len(name) <= MAX_FIELD_NAME) or "." in name:
            yield FieldError(f"{field}.properties", "field.schema_field_name", {"name": name[:MAX_FIELD_NAME]})


def values_faults(schema: CompiledSchema, values: Mapping[str, Any], at: str) -> list[FieldError]:
    """What is wrong with the values of a record, its size included."""
    if len(msgspec.json.encode(values)) > MAX_VALUES_BYTES:
        return [FieldError(at, "field.values_too_large", {"most": MAX_VALUES_BYTES})]
    return schema.faults(values, at)


def scalar_fields(schema: Schema) -> list[str]:
    """The fields that hold one text, number or truth value: those that can be indexed, in their order."""
    return [name for name, part in schema["properties"].items() if field_type(part) in SCALARS]


def assign_slots(fields: Sequence[str], before: Sequence[str | None]) -> list[str | None]:
    """Which column keeps which indexed field: a field stays where it was, and a new one takes the first free place."""
    slots = [name if name in fields else None for name in (*before, *[None] * (MAX_INDEXED_FIELDS - len(before)))]
    for name in fields:
        if name not in slots:
            slots[slots.index(None)] = name
    return slots


def changed_parts(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two documents differ: the path, what stood there and what stands there; what is absent is None."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from changed_parts(before.get(name), after.get(name), f"{path}.{name}".removeprefix("."))
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield path, before, after
