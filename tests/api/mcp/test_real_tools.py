"""Real tools over HTTP: schemas, restricted connections, approvals and dry runs."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.api.mcp.schema_fit import assert_fits_schema
from tests.contexts.alliances.makers import make_alliance
from tests.contexts.control_tower.approvals.makers import create_order_as, status_of
from tests.contexts.warehouse.examples import ANSWER, LOAD_QUESTION, LOADED, QUESTION
from tests.invariants.business import make_business
from tests.invariants.example_requests import make_request_for
from tests.support.app import App
from tests.support.examples import fill_placeholders

from haulier.api.mcp.tools import tool_bindings, tool_output_schema
from haulier.app import registry
from haulier.kernel.operations.enums import ALL_SCOPES, Account, Effect, McpServer
from haulier.kernel.operations.scope_profiles import PROFILES

PATHS = {McpServer.USER: "/mcp", McpServer.DEVELOPER: "/mcp/developer"}
TOOLS = {
    server: {tool.name: operation for tool, operation in tool_bindings(registry(), server)} for server in McpServer
}
NOT_FOR_ADMINS = {
    name
    for tools in TOOLS.values()
    for name, one in tools.items()
    if not one.audience & {Account.CLIENT_ADMIN, Account.PUBLIC}
}
ASKED: dict[str, dict[str, Any]] = {
    "quote_delivery": {"weight_g": 1000, "consignee": {"postal_code": "M5V 2T6"}},
    "run_graphql_query": {"query": "{ whoAmI { scopes } }"},
    "otep_client_tracking": {"order_id": 3},
    "get_orders_summary": {"group_by": "driver"},
    "validate_otep_payload": {"timeline": {"events": []}},
    "pack": QUESTION,
    "check_packing_plan": {**QUESTION, **ANSWER},
    "load": {**LOAD_QUESTION, "steps": 20},
    "check_load_plan": {**LOAD_QUESTION, **LOADED},
}
"""Arguments for tools that need more than a plausible request."""


@pytest.fixture
async def servers(app: App) -> AsyncIterator[McpClient]:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        yield McpClient(base, http)


@pytest.mark.parametrize("server", list(McpServer))
async def test_every_read_tool_returns_its_schema_to_the_admin(app: App, servers: McpClient, server: McpServer) -> None:
    known = await make_business(app)
    known |= await the_number(app, known)
    known["alliance_id"] = await make_alliance(app)
    known["build_id"] = (await app.answer("admin", "build_route", {"day": "2026-06-11"})).build.id
    words = {"path": PATHS[server]}
    listed = (await servers.post("tools/list", None, app.tokens["admin"], **words)).json()["result"]["tools"]
    schemas = {tool["name"]: tool["outputSchema"] for tool in listed}
    refused: dict[str, Any] = {}
    for name, operation in TOOLS[server].items():
        if operation.effect is Effect.WRITE or name in NOT_FOR_ADMINS:
            continue
        asked = fill_placeholders(ASKED[name], known) if name in ASKED else make_request_for(operation, known)
        confirmed = {"confirm": True} if operation.confirm else {}
        result = await servers.call(name, {**asked, **confirmed}, app.tokens["admin"], **words)
        if result["isError"]:
            refused[name] = result["structuredContent"]
        else:
            assert_fits_schema(result["structuredContent"], schemas[name])
            assert_fits_schema(result["structuredContent"], tool_output_schema(operation))
    assert refused == {}


async def the_number(app: App, known: dict[str, Any]) -> dict[str, Any]:
    """The tracking number of an order that is there."""
    shown = await app.answer("admin", "get_order_detail", {"order_id": known["order_id"]})
    number = shown.order.tracking_number
    return {"number": number, "tracking_number": number}


class TestNarrowing:
    @pytest.mark.parametrize("profile", PROFILES)
    async def test_a_profile_lists_exactly_the_tools_of_its_scopes(
        self, app: App, servers: McpClient, profile: str
    ) -> None:
        headers = {"x-mcp-profile": profile}
        listed = await servers.names(app.tokens["admin"], headers=headers)
        open_to_all = {name for name, one in TOOLS[McpServer.USER].items() if one.public}
        opened = {
            name
            for name, one in TOOLS[McpServer.USER].items()
            if Account.CLIENT_ADMIN in one.audience and one.scopes <= PROFILES[profile]
        }
        assert set(listed) == open_to_all | opened
        for name in ("get_orders", "get_drivers", "hold_order"):
            outcome = await servers.call(name, {}, app.tokens["admin"], headers=headers)
            told = outcome["structuredContent"].get("code")
            assert (told == "SCOPE_NARROWED") == (name not in listed), (name, told)

    @pytest.mark.parametrize("headers", [{"x-mcp-profile": "full"}, {"x-mcp-scopes": "*"}, {}])
    async def test_nothing_can_widen_a_token(self, app: App, servers: McpClient, headers: dict[str, str]) -> None:
        issued = await app.answer("admin", "issue_api_token", {"name": "new"})
        expected = {
            name
            for name, one in TOOLS[McpServer.USER].items()
            if one.public or (Account.CLIENT_ADMIN in one.audience and one.scopes <= PROFILES["ops-readonly"])
        }
        assert set(await servers.names(issued.access_token, headers=headers)) == expected
        assert issued.scopes == sorted(PROFILES["ops-readonly"]) != sorted(ALL_SCOPES)

    async def test_a_refused_call_is_explained(self, app: App, servers: McpClient) -> None:
        headers = {"x-mcp-profile": "support", "accept-language": "es"}
        told = (await servers.call("get_capabilities", {}, app.tokens["admin"], headers=headers))["structuredContent"]
        hold = next(one for one in told["capabilities"] if one["name"] == "hold_order")
        assert (hold["allowed"], hold["risk"], hold["confirm"]) == (False, "high", True)
        assert hold["reason"] == app.application.catalogues.translate(
            "es", "scope_narrowed", scopes="orders:write", header="X-MCP-Profile: support"
        )
        assert told["scopes"] == sorted(PROFILES["support"])


class TestWrites:
    async def test_a_dry_run_is_reported_in_the_callers_language_with_its_changes(
        self, app: App, servers: McpClient
    ) -> None:
        order_id = await create_order_as(app)
        headers = {"x-mcp-dry-run": "1", "accept-language": "de"}
        result = await servers.call("hold_order", {"order_id": order_id}, app.tokens["admin"], headers=headers)
        told = result["structuredContent"]
        assert told["message"] == app.application.catalogues.translate("de", "dry_run.done")
        (change,) = [change for change in told["changes"] if change["record"] == "delivery_order"]
        assert (change["before"]["status"], change["after"]["status"]) == ("NEW_ORDER", "HOLD")
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_a_preview_counts_new_records_and_lists_them_in_full_detail(
        self, app: App, servers: McpClient
    ) -> None:
        address = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
        asked = {"orders": [{"consignee": address} for _ in range(3)]}
        for name, arguments, path in (
            ("bulk_create_orders", asked, ()),
            ("propose_write", {"tool": "bulk_create_orders", "arguments": asked}, ("approval", "preview")),
        ):
            lean, full = [], []
            for detail, told in (("", lean), ("full", full)):
                headers = {"x-mcp-detail": detail} | ({} if path else {"x-mcp-dry-run": "1"})
                answer = (await servers.call(name, arguments, app.tokens["employee"], headers=headers))[
                    "structuredContent"
                ]
                for part in path:
                    answer = answer[part]
                told += answer["changes"]
            assert {"record": "delivery_order", "created": 3} in lean
            assert [one["after"]["status"] for one in full if one["record"] == "delivery_order"] == ["NEW_ORDER"] * 3

    async def test_creating_an_order_returns_its_numbers_and_everything_in_full_detail(
        self, app: App, servers: McpClient
    ) -> None:
        asked = {"consignee": {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}}
        told = []
        for detail in ("", "full"):
            answer = await servers.call("create_order", asked, app.tokens["admin"], headers={"x-mcp-detail": detail})
            told.append(answer["structuredContent"])
        lean, full = told
        assert lean["order"].keys() == {"id", "tracking_number", "status", "shipping_price", "currency"}
        assert ("existing" in lean, full["existing"]) == (False, False)
        assert full["order"].keys() > lean["order"].keys() | {"name", "address", "city", "created_at"}
        schema = tool_output_schema(registry()["create_order"])
        for answer in told:
            assert_fits_schema(answer, schema)

    async def test_a_customer_sees_response_and_emails_but_no_records(self, app: App, servers: McpClient) -> None:
        order_id = await create_order_as(app, "customer")
        headers = {"x-mcp-dry-run": "1"}
        result = await servers.call("cancel_order", {"order_id": order_id}, app.tokens["customer"], headers=headers)
        assert result["structuredContent"].keys() == {"result", "message", "dry_run", "preview", "side_effects"}

    async def test_a_pending_write_is_approved_and_executed(self, app: App, servers: McpClient) -> None:
        order_id = await create_order_as(app)
        headers = {"x-mcp-require-approval": "1"}
        result = await servers.call("hold_order", {"order_id": order_id}, app.tokens["employee"], headers=headers)
        told = result["structuredContent"]
        id = told["approval"]["id"]
        assert (told["queued"], told["message"]) == (
            True,
            app.application.catalogues.translate("en", "approval_queued", id=id),
        )
        waiting = (await servers.call("list_pending_approvals", {}, app.tokens["admin"]))["structuredContent"]
        assert [one["id"] for one in waiting["approvals"]] == [id]
        asked = {"approval_id": id}
        without = await servers.call("approve_pending_write", asked, app.tokens["admin"])
        assert without["structuredContent"]["code"] == "CONFIRM_REQUIRED"
        done = await servers.call("approve_pending_write", {**asked, "confirm": True}, app.tokens["admin"])
        assert done["structuredContent"]["approval"]["status"] == "executed"
        assert await status_of(app, order_id) == "HOLD"

    async def test_a_proposal_is_not_queued_again_when_every_write_waits(self, app: App, servers: McpClient) -> None:
        asked = {"tool": "hold_order", "arguments": {"order_id": await create_order_as(app)}}
        headers = {"x-mcp-require-approval": "all"}
        told = await servers.call("propose_write", asked, app.tokens["employee"], headers=headers)
        assert told["structuredContent"]["approval"]["operation"] == "hold_order"

    async def test_graphql_lists_the_same_changes_for_the_same_write(self, app: App, servers: McpClient) -> None:
        order_id = await create_order_as(app)
        words = {"headers": {"authorization": f"Bearer {app.tokens['admin']}", "x-dry-run": "1"}}
        query = f"mutation {{ holdOrder(order_id: {order_id}) {{ order {{ status }} }} }}"
        by_field = (await app.http.post("/graphql", json={"query": query}, **words)).json()["extensions"]
        headers = {"x-mcp-dry-run": "1", "x-mcp-detail": "full"}
        result = await servers.call("hold_order", {"order_id": order_id}, app.tokens["admin"], headers=headers)
        by_name = [(one["record"], one["after"]) for one in by_field["changes"]["holdOrder"]]
        assert by_name == [(one["record"], one["after"]) for one in result["structuredContent"]["changes"]] != []
        assert await status_of(app, order_id) == "NEW_ORDER"


async def sign_in(app: App) -> None:
    """Sign in as staff with a password.

    Credentials issued by a session outlive it; those issued by a token do not.
    """
    password = "a-long-enough-password-1"
    body = {"name": "Ida", "email": "ida@demo.example", "account": "employee", "password": password}
    await app.answer("admin", "create_user", body)
    login = {"email": body["email"], "password": password}
    app.tokens["signed in"] = (await app.answer(None, "login", login)).access_token


class TestTokenArgument:
    async def test_it_works_with_a_warning_until_its_end_date_and_never_after(
        self, app: App, servers: McpClient
    ) -> None:
        await sign_in(app)
        issued = await app.answer("signed in", "issue_api_token", {"name": "old", "expires_in_days": 730})
        asked = {"order_id": await create_order_as(app), "api_token": issued.access_token}
        words = {"path": "/mcp/developer"}
        app.clock.now = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
        result = await servers.call("get_order_audit_timeline", asked, **words)
        assert (result["isError"], len(result["content"])) == (False, 2), result
        app.clock.forward(seconds=1)
        result = await servers.call("get_order_audit_timeline", asked, **words)
        assert result["structuredContent"]["code"] == "API_TOKEN_EXPIRED"
