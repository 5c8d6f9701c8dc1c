"""Listing and calling tools over HTTP, by plain JSON-RPC without a handshake."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.api.sample_app import OPERATIONS, RecordingApprovals

from haulier.api.mcp import tool_list
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, Mcp, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.registry import Registry
from haulier.kernel.pipeline.audit import audit_entries

PUBLIC = ["break_down", "find_nothing", "greet"]
EVERY = ["break_down", "erase", "find_nothing", "greet", "list_offers", "list_parcels", "send_parcel", "write_note"]
READS = ["break_down", "find_nothing", "greet", "list_offers", "list_parcels"]
PARCEL = {"to": {"street": "x"}, "weight_g": 1}
DEVELOPER = {"path": "/mcp/developer"}


def code(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    return result["structuredContent"]["code"]


async def audit_rows(application: Application) -> int:
    async with application.database.read(None) as work:
        return await work.value(select(func.count()).select_from(audit_entries))


class TestListing:
    @pytest.mark.parametrize(
        ("who", "headers", "names"),
        [
            (None, {}, PUBLIC),
            ("admin", {}, EVERY),
            ("reader", {}, READS),
            ("driver", {}, PUBLIC),
            ("customer", {}, [*PUBLIC, "list_offers"]),
            ("admin", {"x-mcp-profile": "support"}, READS),
            ("admin", {"x-mcp-profile": "wms-readonly", "x-mcp-scopes": "*"}, EVERY),
            ("admin", {"x-mcp-scopes": "orders:read"}, READS),
            ("reader", {"x-mcp-scopes": "orders:write"}, PUBLIC),
        ],
    )
    async def test_a_caller_sees_only_permitted_tools(
        self, servers: McpClient, who: str | None, headers: dict[str, str], names: list[str]
    ) -> None:
        assert await servers.names(who, headers=headers) == sorted(names)
        assert await servers.names(who, headers=headers) == sorted(names)

    async def test_an_unknown_profile_is_refused(self, servers: McpClient) -> None:
        answer = await servers.post("tools/list", who="admin", headers={"x-mcp-profile": "root"})
        assert answer.json()["error"]["data"]["code"] == "UNKNOWN_PROFILE"
        assert code(await servers.call("greet", {"name": "Bo"}, headers={"x-mcp-profile": "root"})) == "UNKNOWN_PROFILE"

    async def test_tool_lists_of_changing_permissions_do_not_accumulate(
        self, application: Application, servers: McpClient, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(tool_list, "MAX_CACHED_LISTS", 3)
        for scope in Scope:
            expected = READS if scope is Scope.ORDERS_READ else None
            names = await servers.names("admin", headers={"x-mcp-scopes": scope.value})
            assert expected is None or names == expected


class TestCalling:
    async def test_a_response_is_structured_and_identical_as_text(self, servers: McpClient) -> None:
        result = await servers.call("greet", {"name": "Bo"})
        assert result["isError"] is False
        assert result["structuredContent"] == {"result": True, "words": "hello Bo"}
        (content,) = result["content"]
        assert json.loads(content["text"]) == result["structuredContent"]

    async def test_a_refusal_is_a_result_with_the_error_body_of_rest(
        self, servers: McpClient, application: Application
    ) -> None:
        headers = {"accept-language": "de", "x-request-id": "r-1"}
        result = await servers.call("greet", {"name": "x", "times": 9}, headers=headers)
        error = result["structuredContent"]
        assert (code(result), error["request_id"]) == ("INVALID_REQUEST", "r-1")
        assert error["message"] == application.catalogues.translate("de", "invalid_request")
        assert {fault["field"] for fault in error["errors"]} == {"name", "times"}
        assert json.loads(result["content"][0]["text"]) == error

    @pytest.mark.parametrize(
        ("tool", "who", "expected"),
        [
            ("list_parcels", None, "UNAUTHENTICATED"),
            ("list_parcels", "driver", "ACCOUNT_NOT_ALLOWED"),
            ("write_note", "reader", "SCOPE_MISSING"),
            ("find_nothing", None, "NOT_FOUND"),
            ("break_down", None, "INTERNAL_ERROR"),
        ],
    )
    async def test_an_unauthorized_caller_is_given_the_reason(
        self, servers: McpClient, tool: str, who: str | None, expected: str
    ) -> None:
        result = await servers.call(tool, {}, who)
        assert code(result) == expected
        assert "secret" not in str(result)

    async def test_headers_narrow_a_tokens_permissions(self, servers: McpClient) -> None:
        headers = {"x-mcp-scopes": "orders:read"}
        assert code(await servers.call("write_note", {"name": "Bo"}, "admin", headers=headers)) == "SCOPE_NARROWED"

    @pytest.mark.parametrize("words", [{}, DEVELOPER])
    async def test_an_unknown_tool_is_a_protocol_error(self, servers: McpClient, words: dict) -> None:
        answer = await servers.post("tools/call", {"name": "nope"}, headers={"accept-language": "fr"}, **words)
        error = answer.json()["error"]
        assert (error["code"], error["data"]["code"]) == (-32602, "UNKNOWN_OPERATION")
        assert error["message"] == error["data"]["message"] != "nope"

    async def test_a_tool_of_the_other_server_is_unknown(self, servers: McpClient) -> None:
        answer = await servers.post("tools/call", {"name": "greet", "arguments": {"name": "Bo"}}, **DEVELOPER)
        assert "error" in answer.json()

    async def test_hidden_prices_are_absent(self, servers: McpClient) -> None:
        (offer,) = (await servers.call("list_offers", {}, "customer"))["structuredContent"]["offers"]
        assert offer == {"rate_id": "r1", "label_minor": 99, "price_hidden": True}

    async def test_a_repeat_returns_the_first_response(self, servers: McpClient, application: Application) -> None:
        key = {"idempotency-key": "k"}
        first = await servers.call("write_note", {"name": "Bo"}, "admin", headers=key)
        assert first == await servers.call("write_note", {"name": "Bo"}, "admin", headers=key)
        assert await audit_rows(application) == 1


@writes(
    "pay_mine",
    audience={Account.CUSTOMER},
    scopes={Scope.CUSTOMER_SHIPPING_WRITE},
    interfaces=(Mcp("pay_mine"),),
    risk=Risk.HIGH,
)
async def pay_mine(call: Call, request: EmptyRequest) -> Done:
    """Pay from one's own wallet."""
    return Done(message="paid")


class TestToolsForCustomersOnly:
    @pytest.fixture
    async def servers(self, application: Application) -> AsyncIterator[McpClient]:
        registry = Registry([*OPERATIONS, pay_mine])
        async with serve_mcp(replace(application, registry=registry)) as base, httpx.AsyncClient(timeout=60) as http:
            yield McpClient(base, http)

    async def test_a_customer_can_see_and_call_them(self, servers: McpClient) -> None:
        assert "pay_mine" in await servers.names("customer")
        assert (await servers.call("pay_mine", {}, "customer"))["structuredContent"]["message"] == "paid"

    @pytest.mark.parametrize(("who", "expected"), [("admin", "ACCOUNT_NOT_ALLOWED"), (None, "UNAUTHENTICATED")])
    async def test_other_accounts_cannot_see_them(self, servers: McpClient, who: str | None, expected: str) -> None:
        assert "pay_mine" not in await servers.names(who, headers={"x-mcp-profile": "full"})
        assert code(await servers.call("pay_mine", {}, who, headers={"x-mcp-scopes": "*"})) == expected


class TestConfirmation:
    async def test_a_dangerous_tool_is_refused_without_confirmation(
        self, servers: McpClient, application: Application
    ) -> None:
        for arguments in ({}, {"confirm": False}, {"confirm": "true"}, {"confirm": 1}):
            assert code(await servers.call("send_parcel", {**PARCEL, **arguments}, "admin")) == "CONFIRM_REQUIRED"
        assert await audit_rows(application) == 0

    async def test_the_confirmation_can_be_an_argument_or_metadata(self, servers: McpClient) -> None:
        among = await servers.call("send_parcel", {**PARCEL, "confirm": True}, "admin")
        beside = await servers.call("send_parcel", PARCEL, "admin", beside={"confirm": True})
        assert among["structuredContent"] == beside["structuredContent"] == {"result": True, "told": PARCEL}

    async def test_other_tools_have_no_confirmation_argument(self, servers: McpClient) -> None:
        assert code(await servers.call("greet", {"name": "Bo", "confirm": True})) == "INVALID_REQUEST"


class TestDryRun:
    async def test_a_dry_run_previews_response_and_emails_without_effect(
        self, servers: McpClient, application: Application
    ) -> None:
        result = await servers.call("send_parcel", PARCEL, "admin", headers={"x-mcp-dry-run": "1"})
        told = result["structuredContent"]
        assert (result["isError"], told["dry_run"]) == (False, True)
        assert told["preview"] == {"result": True, "told": PARCEL}
        assert [(letter["kind"], letter["args"]) for letter in told["side_effects"]] == [
            ("text.customer", {"words": "to x"})
        ]
        assert await audit_rows(application) == 0

    async def test_a_read_ignores_the_dry_run(self, servers: McpClient) -> None:
        result = await servers.call("greet", {"name": "Bo"}, headers={"x-mcp-dry-run": "1"})
        assert result["structuredContent"] == {"result": True, "words": "hello Bo"}


async def test_a_write_waiting_for_approval_returns_its_number(servers: McpClient, application: Application) -> None:
    result = await servers.call("send_parcel", PARCEL, "admin", headers={"x-mcp-require-approval": "1"})
    told = result["structuredContent"]
    assert (result["isError"], told["queued"]) == (False, True)
    assert told["approval"] == {"id": 1, "operation": "send_parcel"}
    assert told["message"] == application.catalogues.translate("en", "approval_queued", id=1)
    assert isinstance(application.approvals, RecordingApprovals)
    assert application.approvals.queued == ["send_parcel"]


class TestRiskThreshold:
    async def test_a_write_that_does_not_wait_says_so(self, servers: McpClient, application: Application) -> None:
        result = await servers.call("write_note", {"name": "Bo"}, "admin", headers={"x-mcp-require-approval": "1"})
        assert result["structuredContent"]["queued"] is False
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert await audit_rows(application) == 1

    async def test_the_level_all_makes_it_wait(self, servers: McpClient, application: Application) -> None:
        for header in ("x-mcp-require-approval", "x-require-approval"):
            result = await servers.call("write_note", {"name": "Bo"}, "admin", headers={header: "all"})
            assert result["structuredContent"]["queued"] is True
        assert isinstance(application.approvals, RecordingApprovals)
        assert application.approvals.queued == ["write_note", "write_note"]

    async def test_reads_and_dry_runs_do_not_mention_it(self, servers: McpClient) -> None:
        read = await servers.call("greet", {"name": "Bo"}, headers={"x-mcp-require-approval": "all"})
        assert "queued" not in read["structuredContent"]
        headers = {"x-mcp-require-approval": "1", "x-mcp-dry-run": "1"}
        dry = await servers.call("write_note", {"name": "Bo"}, "admin", headers=headers)
        assert "queued" not in dry["structuredContent"]


class TestTokenArgument:
    async def test_a_token_argument_is_accepted_with_a_warning_until_its_end_date(
        self, servers: McpClient, application: Application
    ) -> None:
        application.clock.now = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)  # type: ignore[attr-defined]
        result = await servers.call(
            "list_parcels", {"api_token": "admin"}, headers={"accept-language": "es"}, **DEVELOPER
        )
        warning = application.catalogues.translate("es", "api_token_deprecated")
        assert result["structuredContent"]["total"] == 2
        assert [part["text"] for part in result["content"]][1:] == [warning]
        assert result["_meta"]["haulier/deprecation"] == warning

    async def test_a_token_argument_is_refused_afterwards_even_with_a_valid_header(
        self, servers: McpClient, application: Application
    ) -> None:
        application.clock.now = datetime(2027, 1, 1, tzinfo=UTC)  # type: ignore[attr-defined]
        for who in (None, "admin"):
            result = await servers.call("list_parcels", {"api_token": "admin"}, who, **DEVELOPER)
            assert code(result) == "API_TOKEN_EXPIRED"

    async def test_the_header_takes_precedence(self, servers: McpClient) -> None:
        result = await servers.call("list_parcels", {"api_token": "admin"}, "driver", **DEVELOPER)
        assert code(result) == "ACCOUNT_NOT_ALLOWED"

    async def test_the_user_server_has_no_token_argument(self, servers: McpClient) -> None:
        result = await servers.call("list_parcels", {"api_token": "admin"}, "admin")
        assert [fault["field"] for fault in result["structuredContent"]["errors"]] == ["api_token"]

    async def test_a_call_without_it_has_no_warning(self, servers: McpClient) -> None:
        result = await servers.call("list_parcels", {}, "admin", **DEVELOPER)
        assert len(result["content"]) == 1

    async def test_the_token_is_not_stored_in_the_audit_trail(
        self, servers: McpClient, application: Application
    ) -> None:
        await servers.call("send_parcel", {**PARCEL, "api_token": "admin", "confirm": True}, **DEVELOPER)
        async with application.database.read(None) as work:
            (entry,) = await work.all(select(audit_entries.c.request))
        assert entry.request.keys() == PARCEL.keys()
