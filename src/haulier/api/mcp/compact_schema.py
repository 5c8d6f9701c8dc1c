"""Shorter schemas with the same meaning, for tool lists.

Removed from all schemas: titles, nouns of ids (see `describe_operation`), patterns that forbid control characters, null
or empty defaults, nulls inside defaults and examples, redundant examples, the maximum of ids, and names of definitions
that are used once.

Removed from arguments: null as a type of an optional argument. Removed from answers: examples and defaults. Choices of
plain types become one type with several names. Valid calls, answer contents and descriptions are unchanged.
"""

# Agents pay for each word of a tool list in every conversation; bench/MCP.md has the costs.

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from haulier.api.mcp.inline_definitions import inline_definitions
from haulier.kernel.operations.fields import ID_MAX
from haulier.kernel.operations.ids import REFERS_TO

Schema = dict[str, Any]
CONTROL_CHARACTER_PATTERNS = {r"^[^\x00]*$", r"^[^\x00]+$", r"^[^\x00-\x1f\x7f]+$", r"^[^\x00-\x1f\x7f]*$"}
"""Patterns that only forbid control characters. The request validates them anyway."""
NULL_SCHEMA = {"type": "null"}
TYPES_WITHOUT_EXAMPLES = ("boolean", "integer", "number")
TELLS_ITS_VALUES = {"const", "default", "enum", "format"}


def compact_input_schema(schema: Schema) -> Schema:
    """Return compact arguments of a tool. Nullable optional arguments lose null."""
    return _compact_schema(inline_definitions(schema), is_input=True)


def compact_output_schema(schema: Schema) -> Schema:
    """Return the compact answer of a tool. Null stays, so that answers are valid."""
    return _compact_schema(inline_definitions(schema), is_input=False)


def outline_schema(schema: Schema) -> Schema:
    """Return an object schema with only the types of its members.

    Nested members and required fields are omitted.
    """
    definitions = schema.get("$defs", {})
    return {
        "type": "object",
        "properties": {name: _type_alone(part, definitions) for name, part in schema["properties"].items()},
    }


def _type_alone(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Return the type of a member, or an empty schema for a choice."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
    return {"type": schema["type"]} if "type" in schema else {}


def _compact_schema(schema: Schema, *, is_input: bool, optional: bool = False) -> Schema:
    dropped = {"title", REFERS_TO} if is_input else {"title", REFERS_TO, "examples", "default"}
    members = {key: value for key, value in schema.items() if key not in dropped and not _is_redundant(key, value)}
    needed = set(schema.get("required", ())) if is_input else members.get("properties", {}).keys()
    for key in ("properties", "$defs", "patternProperties"):
        if key in members:
            members[key] = {
                name: _compact_schema(part, is_input=is_input, optional=key == "properties" and name not in needed)
                for name, part in members[key].items()
            }
    for key in ("items", "additionalProperties", "propertyNames"):
        if isinstance(members.get(key), dict):
            members[key] = _compact_schema(members[key], is_input=is_input)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in members:
            members[key] = [_compact_schema(part, is_input=is_input) for part in members[key]]
    for key in ("default", "examples"):
        if key in members:
            members[key] = _without_nulls(members[key])
    if isinstance(members.get("description"), str):
        members["description"] = cleandoc(members["description"])
    return _without_needless_examples(_merge_choices(members, optional=optional and schema.get("default") is None))


def _without_needless_examples(schema: Schema) -> Schema:
    """Remove examples that the type, format, choice or default makes redundant."""
    if schema.get("type") in TYPES_WITHOUT_EXAMPLES or schema.keys() & TELLS_ITS_VALUES:
        return {key: value for key, value in schema.items() if key != "examples"}
    return schema


def _is_redundant(key: str, value: Any) -> bool:
    """Return True if a member of a schema can be removed."""
    match key:
        case "pattern":
            return value in CONTROL_CHARACTER_PATTERNS
        case "default":
            return value is None or value == [] or value == {}
        case "maximum":
            return value == ID_MAX
        case "required":
            return value == []
        case _:
            return False


def _merge_choices(schema: Schema, *, optional: bool) -> Schema:
    """Merge a choice of plain types, or of a schema and null, into one schema."""
    choices: list[Schema] = schema.get("anyOf", [])
    around = {key: value for key, value in schema.items() if key != "anyOf"}
    if choices and all(choice.keys() == {"type"} and isinstance(choice["type"], str) for choice in choices):
        types = [choice["type"] for choice in choices if not (optional and choice == NULL_SCHEMA)]
        return {"type": types if len(types) > 1 else types[0], **around}
    if len(choices) != 2 or NULL_SCHEMA not in choices:
        return schema
    (only_choice,) = [choice for choice in choices if choice != NULL_SCHEMA]
    return (
        {**only_choice, **around}
        if optional
        else {**_nullable_schema(only_choice), **around}
        if _has_single_type(only_choice)
        else schema
    )


def _has_single_type(schema: Schema) -> bool:
    return isinstance(schema.get("type", ""), str) and bool(schema.keys() & {"type", "enum"}) and "const" not in schema


def _nullable_schema(schema: Schema) -> Schema:
    """Return the schema with null allowed."""
    kinds = {"type": [schema["type"], "null"]} if "type" in schema else {}
    values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **kinds, **values}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        members: Mapping[str, Any] = value
        return {name: _without_nulls(part) for name, part in members.items() if part is not None}
    if isinstance(value, list):
        parts: list[Any] = value
        return [_without_nulls(part) for part in parts]
    return value
