"""A plausible request for any operation, made from its schema: what is required, with records of the demo client by name."""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.operations.declaration import Operation

TEXTS_BY_FORMAT = {
    "date": "2026-06-11",
    "date-time": "2026-06-10T14:00:00Z",
    "time": "10:00:00",
    "email": "someone@demo.example",
    "uri": "https://example.com/a",
    "password": "a-long-enough-password",
}


def a_request_for(operation: Operation[Any, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Every required field filled; a field whose name is in `known` takes that value, also inside lists and records."""
    schema = operation.request.model_json_schema()
    definitions = schema.get("$defs", {})
    wanted = set(schema.get("required", ())) | (known.keys() & schema.get("properties", {}).keys())
    return {
        name: _value(name, schema["properties"][name], definitions, known)
        for name in schema.get("properties", {})
        if name in wanted
    }


def _value(name: str, schema: dict[str, Any], definitions: dict[str, Any], known: Mapping[str, Any]) -> Any:
    if name in known:
        return known[name]
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return _value(name, next(s for s in schema[key] if s.get("type") != "null"), definitions, known)
    for key in ("const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("examples"):
        return schema["examples"][0]
    return _made(name, schema, definitions, known)


def _made(name: str, schema: dict[str, Any], definitions: dict[str, Any], known: Mapping[str, Any]) -> Any:
    match schema.get("type"):
        case "object":
            return {
                part: _value(part, inner, definitions, known)
                for part, inner in schema.get("properties", {}).items()
                if part in schema.get("required", ()) or part in known
            }
        case "array":
            one = _value(name.removesuffix("s"), schema.get("items", {}), definitions, known)
            return [one] * max(1, schema.get("minItems", 0))
        case "integer" | "number":
            return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        case "boolean":
            return True
        case _:
            text = TEXTS_BY_FORMAT.get(schema.get("format", ""), "sample")
            return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 10_000)]
