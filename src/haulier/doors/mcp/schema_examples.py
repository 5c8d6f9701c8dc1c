"""Schemas for agents with an example for every argument, from its contract or from its type, format, choices and limits."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]
EXAMPLES_BY_FORMAT = {
    "date": "2026-06-11",
    "date-time": "2026-06-11T14:00:00Z",
    "time": "14:00:00",
    "email": "ada@example.com",
    "uri": "https://example.com/path",
    "uuid": "0b0f2a4e-6f0d-4a52-9d6a-3f1f4c7a2d10",
}
EXAMPLE_NUMBER = 17
"""The number shown for a field whose limits allow it, such as an id."""
MAX_EXAMPLE_DEPTH = 6


def add_examples(schema: Schema) -> Schema:
    """The schema of a request with an example for each of its fields, and for each field of its records.

    Raises `ValueError` for a text without `examples`, default, choices or format: its contract has to give an example.
    """
    definitions: Mapping[str, Schema] = schema.get("$defs", {})
    with_examples = _with_property_examples(schema, definitions)
    if definitions:
        with_examples["$defs"] = {
            name: _with_property_examples(part, definitions) for name, part in definitions.items()
        }
    return with_examples


def _with_property_examples(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The schema with examples in its properties, at every depth that no reference hides."""
    filled = dict(schema)
    if "properties" in schema:
        properties = schema["properties"].items()
        filled["properties"] = {name: _with_example(name, part, definitions) for name, part in properties}
    if isinstance(schema.get("items"), dict):
        filled["items"] = _with_property_examples(schema["items"], definitions)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            filled[key] = [_with_property_examples(part, definitions) for part in schema[key]]
    return filled


def _with_example(name: str, schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    filled = _with_property_examples(schema, definitions)
    if not filled.get("examples"):
        filled["examples"] = [example_value(name, schema, definitions)]
    return filled


def example_value(name: str, schema: Schema, definitions: Mapping[str, Schema], depth: int = 0) -> Any:
    """A value that fits a schema. Raises `ValueError` where none follows from it; the contract then has to give one."""
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("default") not in (None, "", [], {}):
        return schema["default"]
    if "$ref" in schema:
        schema = {**definitions[schema["$ref"].rsplit("/", 1)[1]], **schema}
        schema = {key: value for key, value in schema.items() if key != "$ref"}
        return example_value(name, schema, definitions, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            first = next(part for part in schema[key] if part.get("type") != "null")
            return example_value(name, first, definitions, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    return _example_of_type(name, schema, definitions, depth)


def _example_of_type(name: str, schema: Schema, definitions: Mapping[str, Schema], depth: int) -> Any:
    match schema.get("type"):
        case "boolean":
            return True
        case "integer" | "number":
            return _example_number(schema)
        case "string" if schema.get("format") in EXAMPLES_BY_FORMAT:
            return EXAMPLES_BY_FORMAT[schema["format"]]
        case "string":
            raise ValueError(f"the field {name!r} has no example: give one in its contract (`examples=[…]`)")
        case "array":
            count = max(1, schema.get("minItems", 0)) if depth < MAX_EXAMPLE_DEPTH else schema.get("minItems", 0)
            return [example_value(name, schema.get("items", {}), definitions, depth + 1)] * count
        case _:
            return _example_object(schema, definitions, depth)


def _example_object(schema: Schema, definitions: Mapping[str, Schema], depth: int) -> dict[str, Any]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    return {
        part: example_value(part, properties[part], definitions, depth + 1) for part in properties if part in required
    }


def _example_number(schema: Schema) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", EXAMPLE_NUMBER + 1))
    middle: int | float = EXAMPLE_NUMBER if low < EXAMPLE_NUMBER < high else (low + high) / 2
    return round(middle) if schema["type"] == "integer" else middle
