"""Schemas for agents: every argument has an example. Where a contract gives none, one is made from the type and its limits."""

import re
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
EXAMPLE_TEXTS = (
    *(
        "example",
        "Ada Lovelace",
        "A-1001",
        "a1",
        "14:00",
        "2026-06-11",
        "CA",
        "CAD",
        "ON",
        "en",
        "M5V 2T6",
        "+14165550100",
    ),
    *(
        "https://example.com/path",
        "ada@example.com",
        "1.0.0",
        "America/Toronto",
        "0" * 6,
        "0" * 32,
        "0" * 64,
        "#3366ff",
    ),
)
"""Texts that are tried against a pattern until one fits."""
EXAMPLES_BY_FIELD_NAME = {
    "cod_minor": 2500,
    "delivery_instruction": "Leave it at the side door.",
    "description": "Shoes",
    "height_mm": 150,
    "lat": 43.65,
    "length_mm": 300,
    "lng": -79.38,
    "note": "Ring twice.",
    "notes": "Gate code 1234",
    "order_ref": "A-1001",
    "phone": "+14165550100",
    "postal_code": "M5V 2T6",
    "query": "Ada",
    "reason": "The customer called.",
    "region": "ON",
    "search": "Ada",
    "skill": "tail_lift",
    "text": "Ada",
    "tracking_number": "HLTR16KD5632GCM",
    "unit": "Suite 4",
    "width_mm": 200,
}
"""What fields of these names usually hold; taken where it fits."""
EXAMPLE_NUMBER = 17
MAX_EXAMPLE_DEPTH = 6


def add_examples(schema: Schema) -> Schema:
    """The schema of a request with an example for each of its fields, and for each field of its records."""
    definitions: Mapping[str, Schema] = schema.get("$defs", {})
    whole = _with_property_examples(schema, definitions)
    if definitions:
        whole["$defs"] = {name: _with_property_examples(part, definitions) for name, part in definitions.items()}
    return whole


def _with_property_examples(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The schema with examples in its properties, however deep they stand without a reference."""
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
    """A value that fits a schema. Raises `ValueError` where none can be made; the contract then has to give one."""
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
            return _example_number(name, schema)
        case "string":
            return EXAMPLES_BY_FORMAT.get(schema.get("format", "")) or _example_text(name, schema)
        case "array":
            many = max(1, schema.get("minItems", 0)) if depth < MAX_EXAMPLE_DEPTH else schema.get("minItems", 0)
            return [example_value(name.removesuffix("s"), schema.get("items", {}), definitions, depth + 1)] * many
        case _:
            return _example_object(schema, definitions, depth)


def _example_object(schema: Schema, definitions: Mapping[str, Schema], depth: int) -> dict[str, Any]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    return {
        part: example_value(part, properties[part], definitions, depth + 1) for part in properties if part in required
    }


def _example_number(name: str, schema: Schema) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", EXAMPLE_NUMBER + 1))
    usual = EXAMPLES_BY_FIELD_NAME.get(name, EXAMPLE_NUMBER)
    middle: int | float = usual if not isinstance(usual, str) and low < usual < high else (low + high) / 2
    return round(middle) if schema["type"] == "integer" else middle


def _example_text(name: str, schema: Schema) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1000)
    pattern = re.compile(schema.get("pattern", ""))
    for word in (str(EXAMPLES_BY_FIELD_NAME.get(name, "")), name.replace("_", " "), *EXAMPLE_TEXTS):
        if word and least <= len(word) <= most and pattern.search(word):
            return word
    raise ValueError(f"no example fits {name}: {schema}")
