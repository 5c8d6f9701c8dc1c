"""Tool names in texts for agents are tools of the server that shows the text."""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import pytest

from haulier.api.mcp.app import INSTRUCTIONS
from haulier.api.mcp.tool_catalogue import promised_tools
from haulier.api.mcp.tools import operation_input_schema, published_tools, tool_bindings, tool_output_schema
from haulier.app import registry
from haulier.contexts.control_tower.approvals.rules import can_wait_for_approval
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OFFERED_ACTIONS
from haulier.contexts.routes.routes.rules.progress import RouteAction
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.near_names import find_operation

NAMES = {operation.name for operation in registry()}.union(*(promised_tools(server) for server in McpServer))
LOOKS_LIKE_A_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
CONNECTION_MEMBERS = {"confirm", "dry_run", "api_token"}
listed = cache(partial(published_tools, registry()))


def descriptions(schema: Any) -> Iterator[str]:
    """Yield every description in a schema, at any depth."""
    if isinstance(schema, dict):
        if isinstance(text := schema.get("description"), str):
            yield text
        for part in schema.values():
            yield from descriptions(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from descriptions(part)


def named_in(text: str) -> set[str]:
    return {word for word in re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", text) if word in NAMES}


@pytest.mark.parametrize("server", list(McpServer))
def test_every_tool_named_by_a_tool_exists(server: McpServer) -> None:
    there = {tool["name"] for tool in listed(server)}
    named = {tool["name"]: set().union(*map(named_in, descriptions(tool))) for tool in listed(server)}
    assert {name: names - there for name, names in named.items() if names - there} == {}


def test_every_tool_named_in_the_instructions_exists() -> None:
    for server in McpServer:
        assert named_in(INSTRUCTIONS[server]) - {tool["name"] for tool in listed(server)} == set()


def members(schema: Any) -> Iterator[str]:
    """Yield every name and fixed value in a schema, at any depth."""
    if isinstance(schema, dict):
        for key, part in schema.items():
            if key in ("properties", "$defs") and isinstance(part, dict):
                yield from part
            if key in ("enum", "examples", "required"):
                yield from map(str, part)
            yield from members(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from members(part)


@pytest.mark.parametrize("server", list(McpServer))
def test_every_tool_like_word_is_a_tool_or_a_member_of_its_tool(server: McpServer) -> None:
    """Include unknown names: a typo like `get_route_biuld` is no operation."""
    tools = {tool.name: operation for tool, operation in tool_bindings(registry(), server)}
    faults: dict[str, set[str]] = {}
    for tool in listed(server):
        operation = tools[tool["name"]]
        schemas = (tool["inputSchema"], operation_input_schema(operation), tool_output_schema(operation))
        known = {*tools, *(name for schema in schemas for name in members(schema)), *Scope, *CONNECTION_MEMBERS}
        words = {word for text in descriptions(tool) for word in LOOKS_LIKE_A_NAME.findall(text)}
        if unknown := words - known:
            faults[tool["name"]] = unknown
    assert faults == {}


ROUTE_OPERATIONS = {
    RouteAction.ADD_ORDERS: "add_orders_to_route",
    RouteAction.REMOVE_ORDERS: "remove_orders_from_route",
    RouteAction.REORDER_STOPS: "reorder_stops",
    RouteAction.ASSIGN_DRIVER: "assign_route_driver",
    RouteAction.UNASSIGN_DRIVER: "assign_route_driver",
    RouteAction.MOVE_STOPS: "move_stops",
    RouteAction.MERGE: "merge_routes",
    RouteAction.SPLIT: "split_route",
    RouteAction.LOCK: "lock_route",
    RouteAction.UNLOCK: "unlock_route",
    RouteAction.LOCK_STOPS: "lock_stops",
    RouteAction.PUBLISH: "publish_route",
    RouteAction.UNPUBLISH: "unpublish_route",
    RouteAction.CANCEL: "cancel_route",
    RouteAction.START: "start_route",
    RouteAction.FINISH: "finish_route",
    RouteAction.RETURN_TO_DEPOT: "return_route_to_depot",
}
"""Tools for actions on a route. Stops have operations of their own, offers are made on the board."""


def test_every_offered_action_is_a_tool_or_can_be_proposed() -> None:
    """Actions are listed tools, or `propose_write` with an operation to look up."""
    tools = {tool["name"] for tool in listed(McpServer.USER)}
    assert {"describe_operation", "propose_write"} <= tools
    for name in {*OFFERED_ACTIONS.values(), *ROUTE_OPERATIONS.values()}:
        operation = find_operation(registry(), name)
        assert name in tools or can_wait_for_approval(operation), name


def test_operations_named_by_hints_can_be_described() -> None:
    hints = [text for id, text in Catalogues().words("en").items() if id.startswith("hint.")]
    named = {name for text in hints for name in re.findall(r"`([^`]+)`", str(text))}
    assert named
    for name in named:
        assert find_operation(registry(), name).name == name
