"""What a dataset may say of its fields."""

from collections.abc import Iterator, Sequence

from haulier.contexts.datasets.datasets.rules.schemas import (
    MAX_INDEXED_FIELDS,
    scalar_fields,
    schema_faults,
)
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import Schema, field_type

KEY_TYPES = frozenset({"string", "integer"})


def dataset_faults(
    schema: Schema, indexed: Sequence[str] | None, key: str | None, address: Sequence[str]
) -> list[FieldError]:
    """What is wrong with a schema, and with what is said of its fields."""
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
    """The fields that are indexed where nobody says: the first ones that can be, the key aside, which is found anyway."""
    return [name for name in scalar_fields(schema) if name != key][:MAX_INDEXED_FIELDS]
