"""Shorter schemas with the same meaning, for lists of tools.

Left out: titles, which repeat a name; nouns of ids, which `describe_operation` names; patterns that forbid control
characters; null as a type of an argument that may be left out; defaults that are null or empty; nulls inside defaults and
examples; examples that say no more than a type, a format, a choice or a default; the greatest of all ids; examples and
defaults of answers; names of definitions that are used once. Choices of plain types become one type with several names. What
a call may hold, what an answer holds and what each field means stays.
"""

# Why: an agent pays for each word of a list of tools in every conversation; what lists cost is in bench/MCP.md.

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from haulier.api.mcp.inline_definitions import inline_definitions
from haulier.kernel.operations.fields import ID_MAX
from haulier.kernel.operations.ids import REFERS_TO

Schema = dict[str, Any]
CONTROL_CHARACTER_PATTERNS = {r"^[^\x00]*$", r"^[^\x00]+$", r"^[^\x00-\x1f\x7f]+$", r"^[^\x00-\x1f\x7f]*$"}
"""Patterns that only forbid control characters: agents write none, and the request itself refuses them."""
NULL_SCHEMA = {"type": "null"}
TYPES_WITHOUT_EXAMPLES = ("boolean", "integer", "number")
TELLS_ITS_VALUES = {"const", "default", "enum", "format"}


def compact_input_schema(schema: Schema) -> Schema:
    """The arguments of a tool. One that may be left out and would then be null is only marked as one that may be left out."""
    return _compact_schema(inline_definitions(schema), is_input=True)


def compact_output_schema(schema: Schema) -> Schema:
    """The answer of a tool. Null stays: an answer with null must fit."""
    return _compact_schema(inline_definitions(schema), is_input=False)


def outline_schema(schema: Schema) -> Schema:
    """The members of an object with their types alone. What they hold, and which of them must be there, is left open."""
    definitions = schema.get("$defs", {})
    return {
        "type": "object",
        "properties": {name: _type_alone(part, definitions) for name, part in schema["properties"].items()},
    }


def _type_alone(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The type of a member; nothing where it is a choice."""
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
    """The same without examples where its type, format, choice or default shows what a value is like."""
    if schema.get("type") in TYPES_WITHOUT_EXAMPLES or schema.keys() & TELLS_ITS_VALUES:
        return {key: value for key, value in schema.items() if key != "examples"}
    return schema


def _is_redundant(key: str, value: Any) -> bool:
    """Whether a member of a schema can be left out."""
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
    """A choice between plain types, or between a schema and null, as one schema."""
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
    """The same, or null."""
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
