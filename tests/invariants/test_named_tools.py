"""What agents read names tools: every one of them is a tool of the server where it is read."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from haulier.app import registry
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStep
from haulier.contexts.routes.routes.rules.state_machine import RouteAction
from haulier.doors.mcp.app import INSTRUCTIONS
from haulier.doors.mcp.tool_catalogue import promised_tools
from haulier.doors.mcp.tools import published_tools
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.near_names import near_names

NAMES = {operation.name for operation in registry()}.union(*(promised_tools(server) for server in McpServer))
LISTED = {server: published_tools(registry(), server) for server in McpServer}


def descriptions(schema: Any) -> Iterator[str]:
    """Every description in a schema, however deep."""
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
def test_every_tool_that_a_tool_names_is_there(server: McpServer) -> None:
    there = {tool["name"] for tool in LISTED[server]}
    named = {tool["name"]: set().union(*map(named_in, descriptions(tool))) for tool in LISTED[server]}
    assert {name: names - there for name, names in named.items() if names - there} == {}


def test_every_tool_that_the_instructions_name_is_there() -> None:
    for server in McpServer:
        assert named_in(INSTRUCTIONS[server]) - {tool["name"] for tool in LISTED[server]} == set()


def test_every_step_that_an_answer_allows_leads_to_an_operation() -> None:
    named = [(operation.name, operation) for operation in registry()]
    assert [step.value for step in (*OrderStep, *RouteAction) if not near_names(step.value, named)] == []
