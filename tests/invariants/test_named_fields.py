"""Every 422 names at least one field of the request."""

import re
from pathlib import Path

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

import haulier
from haulier.app import registry
from haulier.kernel.operations.errors import list_error_types

SOURCE = Path(haulier.__file__).parent


def test_every_422_error_names_its_fields_where_it_is_declared_or_raised() -> None:
    registry()  # importing every context declares every error
    declared = {problem.id for problem in list_error_types() if problem.status == 422 and not problem.fields}
    nameless: list[str] = []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        names = dict(re.findall(r'^([A-Z][A-Z_]+) = declare_error\(\s*"(\w+)"', text, re.MULTILINE))
        nameless += [name for name, id in names.items() if id in declared]
    raised = "\n".join(path.read_text() for path in SOURCE.rglob("*.py"))
    assert nameless, "INVALID_REQUEST at least names its fields where it is raised"
    assert [name for name in nameless if re.search(rf"raise (\w+\.)?{name}\(", raised)] == []


async def test_an_unknown_service_is_reported_by_field(app: App) -> None:
    outcome = await app.call("admin", "create_order", {"consignee": ADDRESS, "service": "rocket"})
    assert outcome.error
    assert (outcome.status, outcome.error["code"]) == (422, "SERVICE_UNKNOWN")
    assert [(each["field"], each["code"]) for each in outcome.error["errors"]] == [("service", "SERVICE_UNKNOWN")]
    assert outcome.error["errors"][0]["message"] == outcome.error["message"]


async def test_the_header_with_an_unknown_profile_is_named(app: App) -> None:
    answer = await app.rest("admin", "GET", "/v1/depots", headers={"X-MCP-Profile": "root"})
    assert [each["field"] for each in answer.json()["errors"]] == ["X-MCP-Profile"]


async def test_an_invalid_approval_header_is_named(app: App) -> None:
    wrong = {"X-Require-Approval": "perhaps", "X-MCP-Require-Approval": "perhaps", "x-approval-required": "1"}
    for header, value in wrong.items():
        answer = await app.rest("admin", "POST", "/v1/depots", {}, headers={header: value})
        assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (422, [header])
