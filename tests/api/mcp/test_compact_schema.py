"""Compact schemas accept and refuse the same values as the full ones."""

import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.api.mcp.compact_schema import compact_input_schema, compact_output_schema
from haulier.api.mcp.inline_definitions import inline_definitions
from haulier.api.mcp.tools import tool_bindings, tool_input_schema, tool_output_schema
from haulier.app import registry
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import McpServer

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "description": "A name."}
TEXT = {"type": "string", "maxLength": 5, "pattern": r"^[^\x00]*$", "title": "A text"}
MAYBE = {"anyOf": [TEXT, {"type": "null"}], "default": None, "title": "Maybe", "description": "Perhaps."}


def test_a_nullable_argument_becomes_optional() -> None:
    schema = {"type": "object", "title": "X", "properties": {"a": MAYBE}}
    expected = {"a": {"type": "string", "maxLength": 5, "description": "Perhaps."}}
    assert compact_input_schema(schema) == {"type": "object", "properties": expected}


def test_null_is_kept_where_omission_has_another_meaning() -> None:
    needed = {key: value for key, value in MAYBE.items() if key != "default"}
    schema = {"type": "object", "properties": {"a": needed}, "required": ["a"]}
    told = compact_input_schema(schema)["properties"]["a"]
    assert told == {"type": ["string", "null"], "maxLength": 5, "description": "Perhaps."}


def test_a_response_with_null_fits_the_schema() -> None:
    told = compact_output_schema({"type": "object", "properties": {"a": MAYBE}})
    assert jsonschema.Draft202012Validator(told).is_valid({"a": None})


def test_a_field_named_like_a_schema_keyword_is_kept() -> None:
    schema = {"type": "object", "properties": {"title": TEXT, "default": TEXT, "examples": TEXT}}
    assert compact_output_schema(schema)["properties"].keys() == {"title", "default", "examples"}


def test_a_definition_used_once_is_inlined_and_the_fields_description_wins() -> None:
    here = {"$ref": "#/$defs/Name", "description": "Whose."}
    schema = {"type": "object", "properties": {"a": here}, "$defs": {"Name": NAME}}
    assert inline_definitions(schema) == {"type": "object", "properties": {"a": {**NAME, "description": "Whose."}}}


def test_a_definition_used_twice_or_recursively_is_kept() -> None:
    twice = {"type": "object", "properties": {key: {"$ref": "#/$defs/Name"} for key in "ab"}, "$defs": {"Name": NAME}}
    assert inline_definitions(twice) == twice
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    chain = {"$defs": {"Tree": tree}, "properties": {"a": {"type": "string"}}}
    assert inline_definitions(chain) == chain


def test_nested_definitions_are_all_resolved() -> None:
    deep = {"Outer": {"properties": {"inner": {"$ref": "#/$defs/Name"}}}, "Name": NAME}
    schema = {"properties": {"a": {"$ref": "#/$defs/Outer"}}, "$defs": deep}
    assert inline_definitions(schema) == {"properties": {"a": {"properties": {"inner": NAME}}}}


def test_a_nullable_enum_lists_null_among_its_values() -> None:
    told = compact_output_schema({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]})
    assert told == {"enum": ["a", "b", None]}


def test_several_plain_types_become_one_list() -> None:
    assert compact_output_schema({"anyOf": [{"type": "integer"}, {"type": "string"}]}) == {
        "type": ["integer", "string"]
    }


@pytest.mark.parametrize("server", list(McpServer))
def test_every_reference_of_a_tool_resolves_and_none_could_be_inlined(server: McpServer) -> None:
    for tool, operation in tool_bindings(registry(), server):
        for schema in (tool_input_schema(operation, server), tool_output_schema(operation)):
            used = re.findall(r'"#/\$defs/(\w+)"', codec.encode_json(schema).decode())
            assert set(used) == schema.get("$defs", {}).keys(), tool.name
            assert all(used.count(name) > 1 or name in str(schema["$defs"][name]) for name in used), tool.name


def test_meaningful_patterns_are_kept() -> None:
    kept = {"type": "string", "pattern": "^[A-Z]{2}$"}
    assert compact_input_schema({"type": "object", "properties": {"a": kept}})["properties"] == {"a": kept}


@given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab\x00", max_size=7), st.lists))
def test_valid_values_stay_valid_and_wrong_shapes_stay_invalid(value: Any) -> None:
    schema = {"type": "object", "properties": {"a": MAYBE, "b": {"type": "array", "items": MAYBE, "maxItems": 2}}}
    long, short = (jsonschema.Draft202012Validator(each) for each in (schema, compact_output_schema(schema)))
    for document in ({"a": value}, {"b": value}, {"b": [value]}):
        assert not long.is_valid(document) or short.is_valid(document)
        if "\\x00" not in repr(value):
            assert long.is_valid(document) == short.is_valid(document)


@pytest.mark.parametrize("server", list(McpServer))
def test_all_keywords_of_the_contract_are_present(server: McpServer) -> None:
    for tool, operation in tool_bindings(registry(), server):
        whole, told = operation.request.model_json_schema(), tool_input_schema(operation, server)
        for name, part in whole.get("properties", {}).items():
            assert told["properties"][name]["description"] == part["description"], (tool.name, name)
        assert told.get("required", []) == whole.get("required", []), tool.name
