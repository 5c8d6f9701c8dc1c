"""Tool arguments at any depth are described, with valid examples and a limit."""

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
from tests.support.every_case import for_every

from haulier.api.mcp.tools import Schema, tool_bindings, tool_input_schema
from haulier.app import registry
from haulier.kernel.operations.enums import McpServer

TOOLS = [(server, operation.name) for server in McpServer for _, operation in tool_bindings(registry(), server)]
NAMES = sorted({name for _, name in TOOLS})
ANYTHING = {"timeline"}
"""Arguments that take any document on purpose, because judging it is what the tool is for. The body's size limits them."""
CHECK = jsonschema.Draft202012Validator
LIMITED_FORMATS = {"date", "date-time", "time", "uuid"}
Part = tuple[str, Schema]


def contract(name: str) -> Schema:
    """Return the full schema of a tool, including limits that tool lists omit."""
    return registry()[name].request.model_json_schema()


def fields(
    name: str, schema: Schema, definitions: Mapping[str, Schema], inside: tuple[str, ...] = ()
) -> Iterator[Part]:
    """Yield every field below a schema with its path, entering recursive records once."""
    for path, part in leaves(name, schema, definitions, inside):
        for field, inner in part.get("properties", {}).items():
            yield f"{path}.{field}", inner
            yield from fields(f"{path}.{field}", inner, definitions, (*inside, *_reference(part)))


def leaves(
    name: str, schema: Schema, definitions: Mapping[str, Schema], inside: tuple[str, ...] = ()
) -> Iterator[Part]:
    """Yield the resolved alternatives of a schema, and the contents of lists and maps."""
    if reference := _reference(schema):
        if reference[0] not in inside:
            yield from leaves(name, definitions[reference[0]], definitions, (*inside, *reference))
        return
    options = [part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, ())]
    if isinstance(types := schema.get("type"), list):
        options += [{**schema, "type": each} for each in types]
    for option in options:
        yield from leaves(name, option, definitions, inside)
    if options or schema.get("type") == "null":
        return
    yield name, schema
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from leaves(f"{name}[]", schema[key], definitions, inside)


def _reference(schema: Schema) -> tuple[str, ...]:
    return (schema["$ref"].rsplit("/", 1)[1],) if "$ref" in schema else ()


def limited(schema: Schema) -> bool:
    if schema.keys() & {"enum", "const"}:
        return True
    match schema.get("type"):
        case "boolean":
            return True
        case "string":
            return "maxLength" in schema or schema.get("format") in LIMITED_FORMATS
        case "integer" | "number":
            low, high = {"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}
            return bool(schema.keys() & low and schema.keys() & high)
        case "array":
            return "maxItems" in schema
        case "object":
            return "properties" in schema or bool(schema.keys() & {"maxProperties", "propertyNames"})
        case _:
            return False


@for_every("server,name", TOOLS)
def test_every_field_is_described(server: McpServer, name: str) -> None:
    schema = tool_input_schema(registry()[name], server)
    found = list(fields("", schema, schema.get("$defs", {})))
    assert {path.removeprefix(".") for path, _ in found} >= schema["properties"].keys()
    assert [path for path, part in found if not part.get("description")] == []


@for_every("name", NAMES)
def test_every_example_fits_its_field(name: str) -> None:
    schema = contract(name)
    definitions = schema.get("$defs", {})
    wrong: list[tuple[str, Any]] = []
    for path, part in fields("", schema, definitions):
        check = CHECK({**part, "$defs": definitions}, format_checker=CHECK.FORMAT_CHECKER)
        wrong += [(path, example) for example in part.get("examples", ()) if not check.is_valid(example)]
    assert wrong == []


@for_every("name", NAMES)
def test_every_field_has_a_limit(name: str) -> None:
    schema = contract(name)
    definitions = schema.get("$defs", {})
    open_ended = {
        path
        for name, part in schema["properties"].items()
        if name not in ANYTHING
        for path, leaf in [
            *leaves(name, part, definitions),
            *(each for field, inner in fields(name, part, definitions) for each in leaves(field, inner, definitions)),
        ]
        if not limited(leaf)
    }
    assert open_ended == set()
