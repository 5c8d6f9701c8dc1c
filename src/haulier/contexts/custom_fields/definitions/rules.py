"""Rules of definitions, and their effect for a caller."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.custom_fields.fields import MAX_FIELDS
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import (
    SCALARS,
    CompiledSchema,
    Schema,
    compile_schema,
    field_type,
    meta_faults,
    reference_faults,
)

MAX_FILTERABLE = 8
"""Maximum number of filterable fields. Each costs a write for every record that has it."""
MAX_SCHEMA_BYTES = 4_096
MAX_VALUE_BYTES = 1_024
"""The largest value, as JSON."""


class ResourceKind(StrEnum):
    """The kinds of record that have custom fields."""

    ORDER = "order"
    PACKAGE = "package"
    CUSTOMER = "customer"
    DRIVER = "driver"
    PRODUCT = "product"
    """A stocked product. Its values apply to all its items."""


FILTERED_KINDS = frozenset({ResourceKind.ORDER, ResourceKind.CUSTOMER, ResourceKind.DRIVER, ResourceKind.PRODUCT})
"""Kinds that have a list of their own. Packages are shown with their orders."""
SHARED_KINDS = frozenset({ResourceKind.ORDER, ResourceKind.PACKAGE})
"""Kinds that are handed over to partners."""
OF_NOBODY = frozenset({ResourceKind.PRODUCT})
"""Kinds that say nothing of a person."""


class FieldDefinition(Struct, frozen=True, kw_only=True):
    """A custom field.

    Admins see and write all fields; `visible_to` and `editable_by` name the other accounts.
    """

    id: int
    kind: ResourceKind
    name: str
    value_schema: Schema
    required: bool
    default: Any
    filterable: bool
    personal: bool
    shared_with_partners: bool
    visible_to: frozenset[str]
    editable_by: frozenset[str]
    archived: bool
    indexing: bool

    def is_visible_to(self, account: Account) -> bool:
        """Return True if an account sees the field and its values."""
        return account is Account.CLIENT_ADMIN or account.value in self.visible_to

    def is_editable_by(self, account: Account) -> bool:
        """Return True if an account may write the values."""
        return account is Account.CLIENT_ADMIN or account.value in self.editable_by


class FieldSet:
    """All custom fields of one kind of a client, ready to judge values."""

    def __init__(self, definitions: Iterable[FieldDefinition]) -> None:
        self.known: Mapping[str, FieldDefinition] = {each.name: each for each in definitions}
        """By name, archived ones too: their values are kept."""
        self.active = {name: each for name, each in self.known.items() if not each.archived}

    @cached_property
    def schema(self) -> CompiledSchema:
        """Return the schema of the values of the active fields.

        No field is required, because that depends on the caller.
        """
        parts = {name: each.value_schema for name, each in self.active.items()}
        return compile_schema({"type": "object", "properties": parts})

    @cached_property
    def filterable(self) -> tuple[FieldDefinition, ...]:
        """The fields that have keys."""
        return tuple(each for each in self.active.values() if each.filterable)


NO_FIELDS = FieldSet(())


def value_schema_faults(schema: Schema, field: str) -> list[FieldError]:
    """Return the errors in the schema of one value, or none."""
    if len(msgspec.json.encode(schema)) > MAX_SCHEMA_BYTES:
        return [FieldError(field, "field.schema_too_large", {"most": MAX_SCHEMA_BYTES})]
    if not (is_scalar(schema) or _is_list_of_scalars(schema)):
        return [FieldError(f"{field}.type", "field.custom_type")]
    return [*reference_faults(schema, field)] or meta_faults(schema, field)


def is_scalar(schema: Schema) -> bool:
    """Return True if a value is a single text, number or boolean."""
    return isinstance(schema.get("type"), str) and field_type(schema) in SCALARS


def _is_list_of_scalars(schema: Schema) -> bool:
    items = schema.get("items")
    return schema.get("type") == "array" and isinstance(items, dict) and is_scalar(items)


def definition_faults(kind: ResourceKind, said: Mapping[str, Any]) -> list[FieldError]:
    """Return the errors in a definition.

    `said` holds its fields by the names of a request.
    """
    return value_schema_faults(said["value_schema"], "value_schema") or [*_faults_together(kind, said)]


def _faults_together(kind: ResourceKind, said: Mapping[str, Any]) -> Iterator[FieldError]:
    schema = said["value_schema"]
    if said["default"] is not None:
        yield from value_faults(compile_schema(_of_one(schema)), {"default": said["default"]}, "")
    if said["filterable"] and not (kind in FILTERED_KINDS and is_scalar(schema)):
        yield FieldError("filterable", "field.custom_not_filterable")
    if said["shared_with_partners"] and kind not in SHARED_KINDS:
        yield FieldError("shared_with_partners", "field.custom_not_shared")
    if said["personal"] and kind in OF_NOBODY:
        yield FieldError("personal", "field.custom_not_personal")
    if unseen := sorted(set(said["editable_by"]) - set(said["visible_to"])):
        yield FieldError("editable_by", "field.custom_editable_unseen", {"accounts": ", ".join(unseen)})


def _of_one(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"default": schema}}


def value_faults(schema: CompiledSchema, values: Mapping[str, Any], at: str) -> list[FieldError]:
    """Return the errors in values, including their sizes.

    Each error names its field below `at`.
    """
    large = [name for name, value in values.items() if len(msgspec.json.encode(value)) > MAX_VALUE_BYTES]
    if large:
        most = {"most": MAX_VALUE_BYTES}
        return [FieldError(f"{at}.{name}".removeprefix("."), "field.values_too_large", most) for name in large]
    return schema.faults(values, at)


def full_faults(others: Collection[FieldDefinition], *, filterable: bool) -> list[FieldError]:
    """Return the errors if the kind has no room for another field."""
    if len(others) >= MAX_FIELDS:
        return [FieldError("kind", "field.custom_full", {"most": MAX_FIELDS})]
    if filterable and sum(each.filterable for each in others) >= MAX_FILTERABLE:
        return [FieldError("filterable", "field.custom_filterable_full", {"most": MAX_FILTERABLE})]
    return []
