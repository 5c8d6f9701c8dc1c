"""Rules of datasets."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import (
    SCALARS,
    CompiledSchema,
    Schema,
    field_type,
    meta_faults,
    reference_faults,
)


def may_read(account: Account, readers: Collection[str] | None) -> bool:
    """Return True if an account reads a dataset with these readers.

    None: it has no group, and staff read it.
    """
    if account is Account.CLIENT_ADMIN:
        return True
    return account in OFFICE if readers is None else account.value in readers


def may_write(account: Account, readers: Collection[str] | None) -> bool:
    """Return True if an account changes a dataset: staff who read it."""
    return account in OFFICE and may_read(account, readers)


MAX_SCHEMA_BYTES = 32_768
MAX_FIELDS = 100
MAX_FIELD_NAME = 64
MAX_INDEXED_FIELDS = 8
MAX_VALUES_BYTES = 16_384
"""Maximum size of a record as JSON."""


def schema_faults(schema: Schema, field: str) -> list[FieldError]:
    """Return the faults of a schema in a field of a request."""
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
    """Return the faults of a record's values, including its size."""
    if len(msgspec.json.encode(values)) > MAX_VALUES_BYTES:
        return [FieldError(at, "field.values_too_large", {"most": MAX_VALUES_BYTES})]
    return schema.faults(values, at)


def scalar_fields(schema: Schema) -> list[str]:
    """Return the fields that can be indexed, in order: text, number or boolean."""
    return [name for name, part in schema["properties"].items() if field_type(part) in SCALARS]


def assign_slots(fields: Sequence[str], before: Sequence[str | None]) -> list[str | None]:
    """Return the column of each indexed field.

    Existing fields keep their column; new ones take the first free one.
    """
    slots = [name if name in fields else None for name in (*before, *[None] * (MAX_INDEXED_FIELDS - len(before)))]
    for name in fields:
        if name not in slots:
            slots[slots.index(None)] = name
    return slots


def changed_parts(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield differences of two documents: path, earlier and later value.

    Missing values are None.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from changed_parts(before.get(name), after.get(name), f"{path}.{name}".removeprefix("."))
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield path, before, after


KEY_TYPES = frozenset({"string", "integer"})


def dataset_faults(
    schema: Schema, indexed: Sequence[str] | None, key: str | None, address: Sequence[str]
) -> list[FieldError]:
    """Return the faults of a schema and its field settings."""
    if faults := schema_faults(schema, "record_schema"):
        return faults
    return [*_unfit(schema, indexed, address), *_key_faults(schema, key)]


def _unfit(schema: Schema, indexed: Sequence[str] | None, address: Sequence[str]) -> Iterator[FieldError]:
    scalars = set(scalar_fields(schema))
    for index, name in enumerate(indexed or ()):
        if name not in scalars:
            yield FieldError(f"indexed_fields.{index}", "field.not_indexable", {"name": name})
    for index, name in enumerate(address):
        if name not in schema["properties"]:
            yield FieldError(f"address_fields.{index}", "field.not_in_schema", {"name": name})


def _key_faults(schema: Schema, key: str | None) -> Iterator[FieldError]:
    if key is None:
        return
    fits = field_type(schema["properties"].get(key) or {}) in KEY_TYPES and key in schema.get("required", ())
    if not fits:
        yield FieldError("key_field", "field.key_unfit", {"name": key})


def default_indexed_fields(schema: Schema, key: str | None) -> list[str]:
    """Return the default indexed fields: the first possible ones, except the key."""
    return [name for name in scalar_fields(schema) if name != key][:MAX_INDEXED_FIELDS]
