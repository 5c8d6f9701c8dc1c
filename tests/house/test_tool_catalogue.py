"""The tools are those of the interface, no others, and each asks exactly what the interface says."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.shared import shared

from haulier.app import registry
from haulier.doors.mcp.catalogue import Promise, beyond, missing_page, promised
from haulier.doors.mcp.tools import bindings
from haulier.kernel.declarations import Server
from haulier.kernel.operation import Operation

MISSING = Path(__file__).resolve().parents[2] / "docs" / "reference" / "missing-tools.md"
MADE = {server: {tool.name: operation for tool, operation in bindings(registry(), server)} for server in Server}
PROMISED = {server: promised(server) for server in Server}
EACH = [
    pytest.param(server, name, id=f"{server.value}-{name}")
    for server in Server
    for name in sorted(PROMISED[server].keys() & MADE[server].keys())
]


def asks(operation: Operation[Any, Any]) -> Promise:
    return Promise(public=operation.public, risk=operation.risk, scopes=operation.scopes, confirm=operation.confirm)


@pytest.mark.parametrize(("server", "name"), EACH)
def test_a_tool_asks_what_the_interface_says(server: Server, name: str) -> None:
    promise, made = PROMISED[server][name], asks(MADE[server][name])
    told = {field: getattr(promise, field) for field in promise.__struct_fields__}
    assert {field: getattr(made, field) for field, value in told.items() if value is not None} == {
        field: value for field, value in told.items() if value is not None
    }


@pytest.mark.parametrize("server", list(Server))
def test_every_other_tool_is_ours_for_a_reason(server: Server) -> None:
    assert sorted(MADE[server].keys() - PROMISED[server].keys() - beyond().keys()) == []


def test_a_reason_is_given_only_for_a_tool_that_there_is() -> None:
    assert beyond().keys() - set().union(*MADE.values()) == set()
    assert all(beyond().values())


def test_what_is_still_missing_is_said_by_name() -> None:
    assert MISSING.read_text() == missing_page(registry()), "run `make published` and look at the difference"


class TestTheCatalogueIsTheInterfaces:
    def test_the_user_servers_rows(self) -> None:
        text = shared("spec/interface.md").read_text()
        table = text.split("| Tools | Auth | Risk | Scope | Confirm |")[1].split("\n\n")[0]
        told: dict[str, Promise] = {}
        for line in table.splitlines()[2:]:
            tools, auth, risk, scopes, confirm = (cell.strip() for cell in line.strip("|").split("|"))
            held = frozenset(re.findall(r"[a-z_]+:[a-z]+", scopes))
            row: Any = {"public": auth == "public", "risk": risk, "scopes": held, "confirm": confirm == "yes"}
            told.update(dict.fromkeys(tools.split(", "), Promise(**row)))
        assert len(told) == 93
        assert told == PROMISED[Server.USER]

    def test_the_developer_servers_names(self) -> None:
        text = shared("spec/interface.md").read_text().split("Developer server catalog (25 tools).")[1].split("\n\n")[0]
        public, signed_in = text.split("Authenticated:")
        told = dict.fromkeys(_names(public), True) | dict.fromkeys(_names(signed_in), False)
        assert len(told) == 25
        assert told == {name: promise.public for name, promise in PROMISED[Server.DEVELOPER].items()}


def _names(sentence: str) -> list[str]:
    without_remarks = re.sub(r"\([^)]*\)", "", sentence)
    return re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", without_remarks)
