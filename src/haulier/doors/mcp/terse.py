"""Schemas with fewer words and the same meaning: an agent pays for each word of a list of tools, in every conversation.

What goes: titles that say a name again; that a text holds no control characters; that an argument may be null where leaving
it out means the same; defaults that say nothing; nulls inside defaults and examples; examples and defaults of answers, which
are their own best example; names of definitions that are used once. Choices of plain types become one type of several names.
What a call may hold, what an answer does hold, and what each field means, stays.
"""

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from haulier.doors.mcp.inline import inlined

Schema = dict[str, Any]
NO_CONTROLS = {r"^[^\x00]*$", r"^[^\x00]+$", r"^[^\x00-\x1f\x7f]+$", r"^[^\x00-\x1f\x7f]*$"}
"""Patterns that only forbid control characters: no agent writes them, and the request itself refuses them."""
NULL = {"type": "null"}


def terse_input(schema: Schema) -> Schema:
    """What a tool takes. An argument that may be left out and would then be null is simply one that may be left out."""
    return _terse(inlined(schema), asked=True)


def terse_output(schema: Schema) -> Schema:
    """What a tool gives. Null stays: an answer that says null must fit."""
    return _terse(inlined(schema), asked=False)


def _terse(schema: Schema, *, asked: bool) -> Schema:
    gone = {"title"} if asked else {"title", "examples", "default"}
    kept = {key: value for key, value in schema.items() if key not in gone and not _says_nothing(key, value)}
    for key in ("properties", "$defs", "patternProperties"):
        if key in kept:
            kept[key] = {name: _terse(part, asked=asked) for name, part in kept[key].items()}
    for key in ("items", "additionalProperties", "propertyNames"):
        if isinstance(kept.get(key), dict):
            kept[key] = _terse(kept[key], asked=asked)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in kept:
            kept[key] = [_terse(part, asked=asked) for part in kept[key]]
    for key in ("default", "examples"):
        if key in kept:
            kept[key] = _without_nulls(kept[key])
    if isinstance(kept.get("description"), str):
        kept["description"] = cleandoc(kept["description"])
    return _joined(kept, optional=asked and schema.get("default", ...) is None)


def _says_nothing(key: str, value: Any) -> bool:
    """Whether a word of a schema can go."""
    match key:
        case "pattern":
            return value in NO_CONTROLS
        case "default":
            return value is None or value == [] or value == {}
        case "required":
            return value == []
        case _:
            return False


def _joined(schema: Schema, *, optional: bool) -> Schema:
    """A choice between plain types, or between one thing and null, said in one."""
    choices: list[Schema] = schema.get("anyOf", [])
    around = {key: value for key, value in schema.items() if key != "anyOf"}
    if choices and all(choice.keys() == {"type"} and isinstance(choice["type"], str) for choice in choices):
        types = [choice["type"] for choice in choices if not (optional and choice == NULL)]
        return {"type": types if len(types) > 1 else types[0], **around}
    if len(choices) != 2 or NULL not in choices:
        return schema
    (one,) = [choice for choice in choices if choice != NULL]
    return {**one, **around} if optional else {**_or_null(one), **around} if _has_one_kind(one) else schema


def _has_one_kind(schema: Schema) -> bool:
    return isinstance(schema.get("type", ""), str) and bool(schema.keys() & {"type", "enum"}) and "const" not in schema


def _or_null(schema: Schema) -> Schema:
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
