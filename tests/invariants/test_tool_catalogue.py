"""The tools are exactly those of the interface, with its arguments."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.api.mcp.tool_catalogue import PromisedTool, additional_tools, missing_tools_page, promised_tools
from haulier.api.mcp.tools import tool_bindings
from haulier.app import registry
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import McpServer

MISSING = Path(__file__).resolve().parents[2] / "docs" / "reference" / "missing-tools.md"
MADE = {server: {tool.name: operation for tool, operation in tool_bindings(registry(), server)} for server in McpServer}
PROMISED = {server: promised_tools(server) for server in McpServer}
EACH = [(server, name) for server in McpServer for name in sorted(PROMISED[server].keys() & MADE[server].keys())]


def asks(operation: Operation[Any, Any]) -> PromisedTool:
    return PromisedTool(
        public=operation.public, risk=operation.risk, scopes=operation.scopes, confirm=operation.confirm
    )


@for_every("server,name", EACH)
def test_a_tool_takes_the_documented_arguments(server: McpServer, name: str) -> None:
    promise, made = PROMISED[server][name], asks(MADE[server][name])
    told = {field: getattr(promise, field) for field in promise.__struct_fields__}
    assert {field: getattr(made, field) for field, value in told.items() if value is not None} == {
        field: value for field, value in told.items() if value is not None
    }


@pytest.mark.parametrize("server", list(McpServer))
def test_every_additional_tool_has_a_reason(server: McpServer) -> None:
    assert sorted(MADE[server].keys() - PROMISED[server].keys() - additional_tools().keys()) == []


def test_a_reason_is_given_only_for_an_existing_tool() -> None:
    assert additional_tools().keys() - set().union(*MADE.values()) == set()
    assert all(additional_tools().values())


def test_missing_tools_are_listed_by_name() -> None:
    assert MISSING.read_text() == missing_tools_page(registry()), "run `make published` and look at the difference"


class TestInterfaceCatalogue:
    def test_the_user_server_has_the_documented_rows(self) -> None:
        text = shared("spec/interface.md").read_text()
        table = text.split("| Tools | Auth | Risk | Scope | Confirm |")[1].split("\n\n")[0]
        told: dict[str, PromisedTool] = {}
        for line in table.splitlines()[2:]:
            tools, auth, risk, scopes, confirm = (cell.strip() for cell in line.strip("|").split("|"))
            held = frozenset(re.findall(r"[a-z_]+:[a-z]+", scopes))
            row: Any = {"public": auth == "public", "risk": risk, "scopes": held, "confirm": confirm == "yes"}
            told.update(dict.fromkeys(tools.split(", "), PromisedTool(**row)))
        assert len(told) == 93
        assert told == PROMISED[McpServer.USER]

    def test_the_developer_server_has_the_documented_names(self) -> None:
        text = shared("spec/interface.md").read_text().split("Developer server catalog (25 tools).")[1].split("\n\n")[0]
        public, signed_in = text.split("Authenticated:")
        told = dict.fromkeys(_names(public), True) | dict.fromkeys(_names(signed_in), False)
        assert len(told) == 25
        assert told == {name: promise.public for name, promise in PROMISED[McpServer.DEVELOPER].items()}


def _names(sentence: str) -> list[str]:
    without_remarks = re.sub(r"\([^)]*\)", "", sentence)
    return re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", without_remarks)
