"""Errors end with a translated hint that names existing operations."""

import re

import httpx
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.errors import list_error_types

CATALOGUES = Catalogues()
HINTS = sorted(id for id in CATALOGUES.words("en") if id.startswith("hint."))
NAMED = re.compile(r"`([^`]+)`")
OF_THE_ROAD = {
    "booking",
    "dispatch",
    "driver_app",
    "marketplace",
    "orders",
    "planning",
    "recipients",
    "routes",
    "settlements",
}
SAY_THE_STEP_THEMSELVES = {
    "board_full", "booking_zone_name_taken", "build_cannot_search", "credit_insufficient",
    "delivery_access_invalid",
    "driver_blocked_from_board", "no_driver_record", "not_a_customer", "pin_wrong", "rating_closed", "rating_not_open",
    "recipient_unproven",
    "return_reason_taken", "route_of_another_day", "too_far_from_stop", "upload_id_taken", "withdraw_too_late",
}  # fmt: skip
"""Refusals whose next step is no operation: another value, waiting, or a word with the office. Their message says it."""


def test_every_hint_belongs_to_an_error_and_names_the_same_operations_in_every_language() -> None:
    operations = {each.name for each in registry()}
    errors = {each.id for each in list_error_types()}
    assert [id for id in HINTS if id.split(".")[1] not in errors] == []
    for id in HINTS:
        named = {tuple(sorted(NAMED.findall(str(CATALOGUES.words(each)[id])))) for each in SUPPORTED_LANGUAGES}
        assert len(named) == 1, id
        assert set(named.pop()) <= operations, id


def test_every_refused_driver_action_suggests_the_next_step() -> None:
    hinted = {id.split(".")[1] for id in HINTS}
    refusals = {
        error.id
        for operation in registry()
        if operation.effect is Effect.WRITE and operation.handler.__module__.split(".")[2] in OF_THE_ROAD
        for error in operation.errors
    }
    assert refusals - hinted == SAY_THE_STEP_THEMSELVES


async def test_a_name_sent_as_an_id_suggests_the_search(app: App) -> None:
    for operation, values in (("cancel_order", {"order_id": "A-1"}), ("hold_orders", {"order_ids": ["A-1"]})):
        refused = await app.call("admin", operation, values, confirmed=True)
        assert refused.error
        assert (refused.error["code"], refused.error["next"]) == ("INVALID_REQUEST", ["find_order"])


async def test_the_hint_is_returned_at_every_interface_in_the_callers_language(app: App) -> None:
    spoken = {"Authorization": f"Bearer {app.tokens['admin']}", "Accept-Language": "de"}
    hint = "find_order findet Aufträge nach Referenz, Nummer, Name, Telefonnummer oder Adresse."
    rest = (await app.http.get("/api/v1/orders/999999", headers=spoken)).json()
    query = {"query": "{ order(order_id: 999999) { result } }"}
    graphql = (await app.http.post("/graphql", json=query, headers=spoken)).json()["errors"][0]["extensions"]
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        tools, german = McpClient(base, http), {"accept-language": "de"}
        tool = await tools.call("get_order_detail", {"order_id": 999_999}, app.tokens["admin"], headers=german)
    for body in (rest, graphql, tool["structuredContent"]):
        assert (body["hint"], body["next"]) == (hint, ["find_order"])


async def test_a_refusal_by_a_profile_names_the_profile_and_the_next_step(app: App) -> None:
    narrowed = {"Authorization": f"Bearer {app.tokens['admin']}", "X-MCP-Profile": "ops-readonly"}
    refused = (await app.http.post("/api/v1/orders/1/hold", json={}, headers=narrowed)).json()
    assert "X-MCP-Profile: ops-readonly" in refused["message"]
    assert refused["next"] == ["get_capabilities"]


async def test_a_refusal_without_a_next_step_has_no_hint(app: App) -> None:
    refused = await app.call("admin", "get_orders", {"page": 0})
    assert refused.error
    assert refused.error.keys() & {"hint", "next"} == set()
