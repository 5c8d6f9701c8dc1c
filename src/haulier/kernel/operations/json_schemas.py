"""Validation of JSON Schemas that clients define, and of values against them.

Schemas use JSON Schema 2020-12 and are compiled by `jsonschema_rs`, whose patterns take linear time. References to
other documents are refused, so nothing is fetched.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from haulier.kernel.operations.errors import FieldError
from haulier.late_import import LateModule

jsonschema_rs: Any = LateModule("jsonschema_rs")

SCALARS = frozenset({"string", "integer", "number", "boolean"})
_REFERENCES = ("$ref", "$dynamicRef", "$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary")
_KNOWN_KEYWORDS = frozenset(
    {
        "type", "required", "additionalProperties", "enum", "const", "format", "pattern", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
    }
)  # fmt: skip
Schema = Mapping[str, Any]


def reference_faults(part: Any, place: str) -> Iterator[FieldError]:
    """Yield an error for each reference to another schema."""
    if isinstance(part, dict):
        for name, member in part.items():
            if name in _REFERENCES and isinstance(member, str) and not place.endswith(".properties"):
                yield FieldError(f"{place}.{name}", "field.schema_reference", {"keyword": name})
            yield from reference_faults(member, f"{place}.{name}")
    elif isinstance(part, list):
        for index, member in enumerate(part):
            yield from reference_faults(member, f"{place}.{index}")


def meta_faults(schema: Schema, field: str) -> list[FieldError]:
    """Return the errors that make a schema in a request field invalid."""
    try:
        jsonschema_rs.Draft202012Validator(
            {**schema}, validate_formats=True, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, jsonschema_rs.ValidationError) as fault:
        path = ".".join(map(str, [field, *getattr(fault, "instance_path", ())]))
        return [FieldError(path, "field.schema_invalid")]
    return []


class CompiledSchema:
    """A compiled schema that validates values."""

    __slots__ = ("_validator", "fields", "required")

    def __init__(self, schema: Schema) -> None:
        options = jsonschema_rs.RegexOptions()
        self._validator = jsonschema_rs.Draft202012Validator({**schema}, validate_formats=True, pattern_options=options)
        self.fields: dict[str, Mapping[str, Any]] = {
            name: part if isinstance(part, dict) else {} for name, part in schema.get("properties", {}).items()
        }
        self.required: frozenset[str] = frozenset(schema.get("required", ()))

    def faults(self, values: Mapping[str, Any], at: str) -> list[FieldError]:
        """Return all validation errors of values, with field paths below `at`."""
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
    """Compile a schema. Recently compiled schemas are cached."""
    return _compiled(msgspec.json.encode(schema))


def field_type(part: Mapping[str, Any]) -> str | None:
    """Return the only type of a field apart from null, or None."""
    kinds = part.get("type")
    named = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind not in (None, "null")]
    return named[0] if len(named) == 1 else None
