"""Tools as agents see them: schemas and hints derived from declarations."""

from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from tests.api.sample_app import OPERATIONS, PARCELS, Parcels

from haulier.api.mcp.tools import (
    published_tools,
    tool_annotations,
    tool_bindings,
    tool_definition,
    tool_output_schema,
)
from haulier.app import registry
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Mcp, Rest
from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import FieldError, list_error_types
from haulier.kernel.operations.registry import Registry

MADE_UP = Registry(OPERATIONS)


def tools(server: McpServer = McpServer.USER) -> dict[str, dict[str, Any]]:
    return {tool.name: tool_definition(tool, operation, server) for tool, operation in tool_bindings(MADE_UP, server)}


def test_a_tool_is_listed_on_its_declared_servers() -> None:
    assert tools(McpServer.DEVELOPER).keys() == {"list_parcels", "send_parcel", "find_nothing"}
    assert {"greet", "erase", "list_parcels"} <= tools().keys()


def test_descriptions_come_from_the_declaration() -> None:
    assert tools()["send_parcel"]["title"] == "Send it"
    assert tools()["list_parcels"]["title"] == "List parcels"
    assert tools()["send_parcel"]["description"] == "Send a parcel and tell the customer."


def test_only_dangerous_tools_have_a_confirmation_argument() -> None:
    asks = {name for name, tool in tools().items() if "confirm" in tool["inputSchema"]["properties"]}
    assert asks == {"erase", "send_parcel"}
    assert "confirm" not in tools()["erase"]["inputSchema"].get("required", [])


def test_only_the_developer_server_has_the_deprecated_token_argument() -> None:
    assert not any("api_token" in tool["inputSchema"]["properties"] for tool in tools().values())
    assert tools(McpServer.DEVELOPER)["send_parcel"]["inputSchema"]["properties"]["api_token"]["deprecated"] is True


def test_arguments_match_the_request() -> None:
    schema = tools()["send_parcel"]["inputSchema"]
    check = jsonschema.Draft202012Validator(schema)
    check.check_schema(schema)
    assert check.is_valid({"to": {"street": "x"}, "weight_g": 1, "confirm": True})
    assert not check.is_valid({"to": {"street": "x"}, "weight_g": 0})
    assert not check.is_valid({"to": {"street": "x"}, "weight_g": 1, "colour": "red"})
    assert schema["properties"]["to"]["description"] == "Where to."


def test_a_response_fits_the_schema_of_its_tool() -> None:
    schema = tool_output_schema(MADE_UP["list_parcels"])
    answer = codec.to_plain_values(Parcels(total=2, page=1, per_page=50, parcels=PARCELS))
    jsonschema.validate(answer, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**answer, "parcels": [{"id": "one"}]}, schema)


def test_a_listed_response_schema_contains_only_members_and_types() -> None:
    assert tools()["list_parcels"]["outputSchema"] == {
        "type": "object",
        "properties": {
            "result": {"type": "boolean"},
            "total": {"type": "integer"},
            "total_is_floor": {"type": "boolean"},
            "page": {"type": "integer"},
            "per_page": {"type": "integer"},
            "parcels": {"type": "array"},
        },
    }


@pytest.mark.parametrize("server", list(McpServer))
def test_every_error_fits_the_schema_listed_for_its_tool(server: McpServer) -> None:
    catalogues, field_error = Catalogues(), FieldError("order_id", "field.missing")
    bodies = [
        render_error(error_type.for_fields(field_error), catalogues, "en", "r-1") for error_type in list_error_types()
    ]
    for tool, operation in tool_bindings(registry(), server):
        validator = jsonschema.Draft202012Validator(tool_definition(tool, operation, server)["outputSchema"])
        assert [(tool.name, body["code"]) for body in bodies if not validator.is_valid(body)] == []


@pytest.mark.parametrize(
    ("name", "read_only", "destructive"),
    [("list_parcels", True, False), ("write_note", False, False), ("send_parcel", False, True)],
)
def test_annotations_follow_effect_and_risk(name: str, read_only: bool, destructive: bool) -> None:
    hints = tools()[name]["annotations"]
    assert (hints["readOnlyHint"], hints["destructiveHint"], hints["idempotentHint"]) == (
        read_only,
        destructive,
        read_only,
    )


def test_idempotent_writes_are_annotated_by_their_method() -> None:
    write = Registry(OPERATIONS)["write_note"]
    for method, repeatable in (("POST", False), ("PATCH", False), ("PUT", True), ("DELETE", True)):
        bound = replace(write, interfaces=(Rest(method, "/v1/notes"), Mcp("write_note")))
        assert tool_annotations(bound)["idempotentHint"] is repeatable


def test_tools_that_call_external_systems_are_annotated_by_their_scopes() -> None:
    write = Registry(OPERATIONS)["write_note"]
    for scope, open_world in ((Scope.ORDERS_WRITE, False), (Scope.LABELS_WRITE, True), (Scope.UNIORDER_READ, True)):
        assert tool_annotations(replace(write, scopes=frozenset({scope})))["openWorldHint"] is open_world


@pytest.mark.parametrize("server", list(McpServer))
def test_every_schema_of_the_real_tools_is_a_json_schema_of_an_object(server: McpServer) -> None:
    published = published_tools(registry(), server)
    assert published
    for tool in published:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
