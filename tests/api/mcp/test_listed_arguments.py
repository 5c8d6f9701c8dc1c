"""Tool lists for models: each shape once, no redundancy, and few tokens."""

from collections.abc import Iterator
from typing import Any

import pytest
from rs_bpe.bpe import openai

from haulier.api.mcp.listed_arguments import deduplicate_schemas, listed_arguments, shapes_of
from haulier.api.mcp.tool_catalogue import promised_tools
from haulier.api.mcp.tool_list import ToolList, tool_list
from haulier.api.mcp.tools import tool_bindings, tool_input_schema
from haulier.app import registry
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.scope_profiles import PROFILES

TOKENS_OF_THE_INTERFACE = 20_000
TOKENS_OF_A_READER = 6_000
PLACE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "street": {"type": "string", "description": "Street and number.", "maxLength": 200, "examples": ["1 Front St"]},
        "city": {"type": "string", "description": "The city.", "pattern": "^[A-Z]"},
        "country": {"type": "string", "enum": ["CA", "US"], "description": "Which country."},
    },
    "required": ["street"],
    "additionalProperties": False,
}
SENDS = {"properties": {"to": {**PLACE, "description": "Where to."}, "back": {**PLACE, "description": "Where back."}}}


def shown(tools: ToolList, names: list[str]) -> list[dict[str, Any]]:
    """Return what a host shows its model of a list."""
    listed = (tools.tool(each) for each in tools.listed(names))
    return [{"name": t.name, "description": t.description, "inputSchema": t.input_schema} for t in listed]


def tokens(tools: ToolList, names: list[str]) -> int:
    counter = openai.o200k_base()
    return sum(counter.count(codec.encode_json(tool).decode()) for tool in shown(tools, names))


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(part)


def test_a_shape_is_described_once_and_then_referenced_with_its_required_members() -> None:
    arguments = listed_arguments(SENDS)
    first, again = deduplicate_schemas(arguments, {})["properties"].values()
    assert first["properties"]["street"] == {"type": "string", "description": "Street and number."}
    assert again == {
        "type": "object",
        "description": "Where back. Members as above.",
        "properties": {"street": {"type": "string"}},
        "required": ["street"],
    }
    elsewhere, _ = deduplicate_schemas(arguments, dict.fromkeys(shapes_of(arguments), "send"))["properties"].values()
    assert elsewhere["description"] == "Where to. Members as at `send`."


def test_many_choices_are_listed_at_the_first_tool_and_referenced_by_the_next() -> None:
    choice = {"type": "string", "enum": [f"parcel.{n}" for n in range(9)], "description": "Which event."}
    arguments = listed_arguments({"properties": {"event": choice}})
    assert deduplicate_schemas(arguments, {})["properties"]["event"] == choice
    named = deduplicate_schemas(arguments, dict.fromkeys(shapes_of(arguments), "set_up"))["properties"]["event"]
    assert named == {"type": "string", "description": "Which event. One of those listed at `set_up`."}


def test_callers_without_the_first_tool_see_the_description_at_the_next() -> None:
    tools = tool_list(registry(), McpServer.USER)
    after_another, alone = (
        shown(tools, ["compare_all_carriers", "get_shipping_rate"])[1],
        *shown(tools, ["get_shipping_rate"]),
    )
    assert "Members as at `compare_all_carriers`" in str(after_another)
    assert "Members as at" not in str(alone)
    assert "description" not in after_another["inputSchema"]["properties"]["signature_required"]
    assert "description" in alone["inputSchema"]["properties"]["signature_required"]


def test_of_several_types_one_can_be_chosen() -> None:
    field = listed_arguments({"properties": {"value": {"type": ["string", "null"], "description": "Which."}}})
    assert field["properties"]["value"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Which."}


@pytest.mark.parametrize("server", list(McpServer))
def test_lists_contain_no_references_or_type_lists_and_every_reference_by_name_resolves(server: McpServer) -> None:
    tools = tool_list(registry(), server)
    told: set[str] = set()
    for tool in shown(tools, list(tools.tools)):
        for part in parts(tool["inputSchema"]):
            assert "$ref" not in part, tool["name"]
            assert "$defs" not in part, tool["name"]
            assert not isinstance(part.get("type"), list), tool["name"]
            if isinstance(words := part.get("description"), str) and " at `" in words and words.endswith("`."):
                assert words.rsplit("`", 2)[1] in told, tool["name"]
        told.add(tool["name"])


@pytest.mark.parametrize("server", list(McpServer))
def test_every_argument_of_the_contract_is_listed_and_described(server: McpServer) -> None:
    tools = tool_list(registry(), server)
    for tool, operation in tool_bindings(registry(), server):
        (alone,) = shown(tools, [tool.name])
        listed, whole = alone["inputSchema"], tool_input_schema(operation, server)
        assert listed["properties"].keys() == whole["properties"].keys(), tool.name
        assert all(part["description"] for part in listed["properties"].values()), tool.name
        assert listed.get("required", []) == whole.get("required", []), tool.name


def test_all_tools_of_the_interface_cost_less_than_twenty_thousand_tokens() -> None:
    tools = tool_list(registry(), McpServer.USER)
    promised = promised_tools(McpServer.USER)
    assert tokens(tools, [name for name in tools.tools if name in promised]) < TOKENS_OF_THE_INTERFACE


def test_a_read_only_callers_tools_cost_less_than_six_thousand_tokens() -> None:
    tools = tool_list(registry(), McpServer.USER)
    promised, granted = promised_tools(McpServer.USER), PROFILES["ops-readonly"]
    readable = [name for name, each in tools.operations.items() if name in promised and each.scopes <= granted]
    assert tokens(tools, readable) < TOKENS_OF_A_READER
