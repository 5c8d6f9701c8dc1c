"""Schemas that clients write for their own data: which are taken, what is wrong with a value, what they say of a field.

A schema is a JSON Schema (2020-12) of one flat object. It is compiled by `jsonschema_rs`, whose patterns take linear time; it
may name no other document, so nothing is ever fetched.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec

from haulier.kernel.operations.errors import FieldError

MAX_SCHEMA_BYTES = 32_768
MAX_FIELDS = 100
MAX_FIELD_NAME = 64
MAX_INDEXED_FIELDS = 8
MAX_VALUES_BYTES = 16_384
"""The largest record, as JSON."""
SCALARS = frozenset({"string", "integer", "number", "boolean"})
_REFERENCES = ("$ref", "$dynamicRef", "$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary")
_KNOWN_KEYWORDS = frozenset(
    {
        "type", "required", "additionalProperties", "enum", "const", "format", "pattern", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
    }
)  # fmt: skip
Schema = Mapping[str, Any]


def schema_faults(schema: Schema, field: str) -> list[FieldError]:
    """What is wrong with a schema that stands in a field of a request; empty when it is taken."""
    if len(msgspec.json.encode(schema)) > MAX_SCHEMA_BYTES:
        return [FieldError(field, "field.schema_too_large", {"most": MAX_SCHEMA_BYTES})]
    return [*_fields_faults(schema, field), *_reference_faults(schema, field)] or _meta_faults(schema, field)


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


def _reference_faults(part: Any, place: str) -> Iterator[FieldError]:
    if isinstance(part, dict):
        for name, member in part.items():
            if name in _REFERENCES and isinstance(member, str) and not place.endswith(".properties"):
                yield FieldError(f"{place}.{name}", "field.schema_reference", {"keyword": name})
            yield from _reference_faults(member, f"{place}.{name}")
    elif isinstance(part, list):
        for index, member in enumerate(part):
            yield from _reference_faults(member, f"{place}.{index}")


def _meta_faults(schema: Schema, field: str) -> list[FieldError]:
    try:
        jsonschema_rs.Draft202012Validator(
            {**schema}, validate_formats=True, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, jsonschema_rs.ValidationError) as fault:
        path = ".".join(map(str, [field, *getattr(fault, "instance_path", ())]))
        return [FieldError(path, "field.schema_invalid")]
    return []


class CompiledSchema:
    """A schema that is ready to judge values."""

    __slots__ = ("_validator", "fields", "required")

    def __init__(self, schema: Schema) -> None:
        options = jsonschema_rs.RegexOptions()
        self._validator = jsonschema_rs.Draft202012Validator({**schema}, validate_formats=True, pattern_options=options)
        self.fields: dict[str, Mapping[str, Any]] = {
            name: part if isinstance(part, dict) else {} for name, part in schema.get("properties", {}).items()
        }
        self.required: frozenset[str] = frozenset(schema.get("required", ()))

    def faults(self, values: Mapping[str, Any], at: str) -> list[FieldError]:
        """Everything that is wrong with some values; each fault names its field below `at`."""
        if self._validator.is_valid(values):
            return []
        return [fault for error in self._validator.iter_errors(values) for fault in _faults_of(error, at)]


def _faults_of(error: Any, at: str) -> Iterator[FieldError]:
    place = ".".join(map(str, [at, *error.instance_path])).removeprefix(".")
    keyword, value = error.kind.name, error.kind.value
    if keyword == "required":
        yield FieldError(f"{place}.{value}".removeprefix("."), "field.missing")
    elif keyword == "additionalProperties":
        yield from (FieldError(f"{place}.{name}".removeprefix("."), "field.schema.unexpected") for name in value)
    else:
        known = keyword if keyword in _KNOWN_KEYWORDS else "other"
        yield FieldError(place, f"field.schema.{known}", {"expected": _shown(value), "keyword": keyword})


def _shown(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
    return text if len(text) <= 200 else text[:199] + "…"


@lru_cache(maxsize=512)
def _compiled(document: bytes) -> CompiledSchema:
    return CompiledSchema(msgspec.json.decode(document))


def compile_schema(schema: Schema) -> CompiledSchema:
    """A schema made ready; one that was compiled lately is found again."""
    return _compiled(msgspec.json.encode(schema))


def values_faults(schema: CompiledSchema, values: Mapping[str, Any], at: str) -> list[FieldError]:
    """What is wrong with the values of a record, its size included."""
    if len(msgspec.json.encode(values)) > MAX_VALUES_BYTES:
        return [FieldError(at, "field.values_too_large", {"most": MAX_VALUES_BYTES})]
    return schema.faults(values, at)


def field_type(part: Mapping[str, Any]) -> str | None:
    """The one type of a field, null aside; None where it has several or says none."""
    kinds = part.get("type")
    named = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind not in (None, "null")]
    return named[0] if len(named) == 1 else None


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
