"""Schemas with fewer words: what fitted fits, and what did not fit does not."""

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


def test_an_argument_that_may_be_null_is_one_that_may_be_left_out() -> None:
    schema = {"type": "object", "title": "X", "properties": {"a": MAYBE}}
    expected = {"a": {"type": "string", "maxLength": 5, "description": "Perhaps."}}
    assert compact_input_schema(schema) == {"type": "object", "properties": expected}


def test_null_stays_where_leaving_out_means_something_else() -> None:
    needed = {key: value for key, value in MAYBE.items() if key != "default"}
    schema = {"type": "object", "properties": {"a": needed}, "required": ["a"]}
    told = compact_input_schema(schema)["properties"]["a"]
    assert told == {"type": ["string", "null"], "maxLength": 5, "description": "Perhaps."}


def test_an_answer_that_says_null_fits() -> None:
    told = compact_output_schema({"type": "object", "properties": {"a": MAYBE}})
    assert jsonschema.Draft202012Validator(told).is_valid({"a": None})


def test_a_field_that_is_called_like_a_word_of_schemas_stays() -> None:
    schema = {"type": "object", "properties": {"title": TEXT, "default": TEXT, "examples": TEXT}}
    assert compact_output_schema(schema)["properties"].keys() == {"title", "default", "examples"}


def test_a_definition_that_is_used_once_is_said_in_place_and_the_fields_own_words_count() -> None:
    here = {"$ref": "#/$defs/Name", "description": "Whose."}
    schema = {"type": "object", "properties": {"a": here}, "$defs": {"Name": NAME}}
    assert inline_definitions(schema) == {"type": "object", "properties": {"a": {**NAME, "description": "Whose."}}}


def test_a_definition_that_is_used_twice_or_contains_itself_stays() -> None:
    twice = {"type": "object", "properties": {key: {"$ref": "#/$defs/Name"} for key in "ab"}, "$defs": {"Name": NAME}}
    assert inline_definitions(twice) == twice
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    chain = {"$defs": {"Tree": tree}, "properties": {"a": {"type": "string"}}}
    assert inline_definitions(chain) == chain


def test_definitions_within_definitions_are_all_placed() -> None:
    deep = {"Outer": {"properties": {"inner": {"$ref": "#/$defs/Name"}}}, "Name": NAME}
    schema = {"properties": {"a": {"$ref": "#/$defs/Outer"}}, "$defs": deep}
    assert inline_definitions(schema) == {"properties": {"a": {"properties": {"inner": NAME}}}}


def test_an_enum_that_may_be_null_says_so_among_its_values() -> None:
    told = compact_output_schema({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]})
    assert told == {"enum": ["a", "b", None]}


def test_several_plain_types_are_one_list() -> None:
    assert compact_output_schema({"anyOf": [{"type": "integer"}, {"type": "string"}]}) == {
        "type": ["integer", "string"]
    }


@pytest.mark.parametrize("server", list(McpServer))
def test_every_reference_of_a_tool_leads_somewhere_and_none_could_be_said_in_place(server: McpServer) -> None:
    for tool, operation in tool_bindings(registry(), server):
        for schema in (tool_input_schema(operation, server), tool_output_schema(operation)):
            used = re.findall(r'"#/\$defs/(\w+)"', codec.encode_json(schema).decode())
            assert set(used) == schema.get("$defs", {}).keys(), tool.name
            assert all(used.count(name) > 1 or name in str(schema["$defs"][name]) for name in used), tool.name


def test_patterns_that_say_something_stay() -> None:
    kept = {"type": "string", "pattern": "^[A-Z]{2}$"}
    assert compact_input_schema({"type": "object", "properties": {"a": kept}})["properties"] == {"a": kept}


@given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab\x00", max_size=7), st.lists))
def test_whatever_fitted_fits_and_whatever_had_the_wrong_shape_still_has(value: Any) -> None:
    schema = {"type": "object", "properties": {"a": MAYBE, "b": {"type": "array", "items": MAYBE, "maxItems": 2}}}
    long, short = (jsonschema.Draft202012Validator(each) for each in (schema, compact_output_schema(schema)))
    for document in ({"a": value}, {"b": value}, {"b": [value]}):
        assert not long.is_valid(document) or short.is_valid(document)
        if "\\x00" not in repr(value):
            assert long.is_valid(document) == short.is_valid(document)


@pytest.mark.parametrize("server", list(McpServer))
def test_the_words_of_the_contract_are_all_there(server: McpServer) -> None:
    for tool, operation in tool_bindings(registry(), server):
        whole, told = operation.request.model_json_schema(), tool_input_schema(operation, server)
        for name, part in whole.get("properties", {}).items():
            assert told["properties"][name]["description"] == part["description"], (tool.name, name)
        assert told.get("required", []) == whole.get("required", []), tool.name
