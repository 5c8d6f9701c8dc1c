"""A malformed order in a batch is refused individually at every interface."""

from typing import Any

import httpx
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App

from haulier.kernel.operations.enums import Risk

THERE: dict[str, Any] = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
GOOD = {"consignee": THERE, "order_ref": "GOOD", "scheduled_date": "2026-06-10"}
NO_CITY = {"consignee": {name: THERE[name] for name in ("name", "address", "country")}, "order_ref": "NO-CITY"}
MALFORMED: list[tuple[Any, list[tuple[str, str]]]] = [
    (NO_CITY, [("consignee.city", "MISSING")]),
    ({"order_ref": "NO-END"}, [("", "CONSIGNEE_NEEDED")]),
    ({"consignee": THERE, "packages": [{"weight_g": -1}]}, [("packages.0.weight_g", "GREATER_THAN_EQUAL")]),
    ({"consignee": THERE, "colour": "red"}, [("colour", "EXTRA_FORBIDDEN")]),
    ({"consignee": THERE, "note": "a\0b"}, [("note", "TEXT_UNSTORABLE")]),
    ({"consignee": THERE, "cod_minor": 10**30}, [("cod_minor", "LESS_THAN_EQUAL")]),
    ("no order", [("", "MODEL_TYPE")]),
]
ROWS = [GOOD, *(row for row, _ in MALFORMED), {**GOOD, "order_ref": "GOOD-2"}]
FAULTS = [faults for _, faults in MALFORMED]


def refused(outcomes: list[Any]) -> list[list[tuple[str, str]]]:
    return [[(error.field, error.code) for error in each.errors] for each in outcomes if each.state == "refused"]


async def test_malformed_orders_are_refused_individually_with_the_same_fields_as_a_single_create(app: App) -> None:
    done = await app.answer("admin", "bulk_create_orders", {"orders": ROWS})
    assert (done.created, done.failed) == (2, len(MALFORMED))
    assert refused(done.outcomes) == FAULTS
    for row, faults in MALFORMED[:4]:
        alone = await app.call("admin", "create_order", row)
        assert alone.error
        assert [(error["field"], error["code"]) for error in alone.error["errors"]] == faults


async def test_refusals_include_an_array_of_readable_errors(app: App) -> None:
    done = await app.answer("admin", "bulk_create_orders", {"orders": [GOOD, NO_CITY, {**GOOD, "service": "teleport"}]})
    assert [(error.order_id, error.index, error.order_ref, error.code) for error in done.errors] == [
        (None, 1, "NO-CITY", "INVALID_REQUEST"),
        (None, 2, "GOOD", "ORDER_REF_TAKEN"),
    ]
    assert done.errors[0].message.startswith("consignee.city: ")


async def test_a_batch_gets_an_id_regardless_of_errors_in_its_orders(app: App) -> None:
    started = await app.answer("admin", "bulk_create_orders_async", {"orders": ROWS})
    assert (started.total, started.refused) == (len(ROWS), len(MALFORMED))
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id})
    assert (batch.state, batch.created, batch.failed) == ("partly_done", 2, len(MALFORMED))
    assert refused(batch.outcomes) == FAULTS
    assert len(batch.errors) == len(MALFORMED)
    assert [each.order_ref for each in batch.outcomes[:3]] == ["GOOD", "NO-CITY", "NO-END"]


async def test_a_batch_of_only_malformed_orders_fails(app: App) -> None:
    started = await app.answer("admin", "bulk_create_orders_async", {"orders": [NO_CITY]})
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id})
    assert (batch.state, batch.failed, batch.finished_at is None) == ("failed", 1, False)


async def test_a_malformed_order_stops_the_batch_if_requested(app: App) -> None:
    outcome = await app.call("admin", "bulk_create_orders", {"orders": [GOOD, NO_CITY], "stop_on_error": True})
    assert outcome.error
    assert (outcome.status, [error["field"] for error in outcome.error["errors"]]) == (422, ["orders.1.consignee.city"])
    assert (await app.answer("admin", "get_orders")).total == 0


async def test_rest_and_mcp_continue_after_a_malformed_order(app: App) -> None:
    answer = await app.rest("admin", "POST", "/v1/orders/bulk", {"orders": ROWS})
    assert (answer.status_code, answer.json()["created"], answer.json()["failed"]) == (200, 2, len(MALFORMED))
    answer = await app.rest("admin", "POST", "/v1/client/batchOrderCreateAsync", {"orders": ROWS})
    batch = await app.rest("admin", "GET", f"/v1/client/async/{answer.json()['asyncId']}")
    assert batch.json()["failed"] == len(MALFORMED)
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        arguments = {"orders": [NO_CITY, {**GOOD, "order_ref": "GOOD-3"}], "confirm": True}
        result = await McpClient(base, http).call("bulk_create_orders", arguments, app.tokens["admin"])
    assert [each["state"] for each in result["structuredContent"]["outcomes"]] == ["refused", "created"]


async def test_a_write_waiting_for_approval_keeps_malformed_orders_unchanged(app: App) -> None:
    arguments = {"orders": [GOOD, NO_CITY]}
    await app.call("admin", "bulk_create_orders", arguments, approval_from=Risk.HIGH)
    (waiting,) = (await app.answer("admin", "list_pending_approvals")).approvals
    assert waiting.arguments == arguments
